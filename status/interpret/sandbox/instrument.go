package sandbox

import "github.com/yuin/gopher-lua/ast"

// The guards are functions that an instrumented script calls. Their names cannot be written in Lua, and a script cannot
// replace them: they are locals around it. guard.go implements them.
const (
	guardConcat = "(concat)"
	guardLength = "(length)"
	guardKey    = "(key)"
	guardMake   = "(make)"
	guardArgs   = "(args)"
	guardNumber = "(number)"
)

// instrument rewrites a script so that every operation that may cost more than one instruction becomes a call of a
// guard:
//
//	a .. b          (concat)(a, b)
//	#a              (length)(a)
//	a[k] = v        a[(key)(a, k)] = v
//	{ x, y }        (make)({ x, y }, 2)
//	function() end  (make)(function() end, 0)
//	...             (args)(...), and (make)() in each call of the function
//	a + b           (number)(a) + (number)(b)
//
// The rewritten chunk takes the guards as its arguments.
func instrument(chunk []ast.Stmt) []ast.Stmt {
	guards := &ast.LocalAssignStmt{Names: guardNames(), Exprs: []ast.Expr{&ast.Comma3Expr{}}}
	at(1, guards)
	at(1, guards.Exprs[0])
	return append([]ast.Stmt{guards}, statements(chunk)...)
}

func guardNames() []string {
	return []string{guardConcat, guardLength, guardKey, guardMake, guardArgs, guardNumber}
}

func statements(list []ast.Stmt) []ast.Stmt {
	out := make([]ast.Stmt, 0, len(list))
	for _, s := range list {
		out = append(out, statement(s)...)
	}
	return out
}

// statement rewrites the expressions of a statement. A definition of a function cannot be wrapped; a payment precedes
// it.
func statement(s ast.Stmt) []ast.Stmt {
	switch s := s.(type) {
	case *ast.AssignStmt:
		targets(s.Lhs)
		expressions(s.Rhs)
	case *ast.LocalAssignStmt:
		if f, ok := recursive(s); ok {
			body(f)
			return []ast.Stmt{payment(s.Line()), s}
		}
		expressions(s.Exprs)
	case *ast.FuncDefStmt:
		body(s.Func)
		return []ast.Stmt{payment(s.Line()), s}
	case *ast.FuncCallStmt:
		s.Expr = expression(s.Expr)
	case *ast.ReturnStmt:
		expressions(s.Exprs)
	default:
		block(s)
	}
	return []ast.Stmt{s}
}

// block rewrites a statement that contains statements.
func block(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.DoBlockStmt:
		s.Stmts = statements(s.Stmts)
	case *ast.WhileStmt:
		s.Condition, s.Stmts = expression(s.Condition), statements(s.Stmts)
	case *ast.RepeatStmt:
		s.Condition, s.Stmts = expression(s.Condition), statements(s.Stmts)
	case *ast.IfStmt:
		s.Condition, s.Then, s.Else = expression(s.Condition), statements(s.Then), statements(s.Else)
	case *ast.NumberForStmt:
		s.Init, s.Limit = expression(s.Init), expression(s.Limit)
		if s.Step != nil {
			s.Step = expression(s.Step)
		}
		s.Stmts = statements(s.Stmts)
	case *ast.GenericForStmt:
		expressions(s.Exprs)
		s.Stmts = statements(s.Stmts)
	}
}

// recursive returns the function of "local function f", which may call itself and so cannot be wrapped.
func recursive(s *ast.LocalAssignStmt) (*ast.FunctionExpr, bool) {
	if len(s.Names) != 1 || len(s.Exprs) != 1 {
		return nil, false
	}
	f, ok := s.Exprs[0].(*ast.FunctionExpr)
	return f, ok
}

// body rewrites a function. A function with "..." pays in each call: Lua makes a table of the arguments.
func body(f *ast.FunctionExpr) {
	f.Stmts = statements(f.Stmts)
	if f.ParList.HasVargs {
		f.Stmts = append([]ast.Stmt{payment(f.Line())}, f.Stmts...)
	}
}

// payment returns a statement that pays for a function or a table made in a line.
func payment(line int) ast.Stmt {
	s := &ast.FuncCallStmt{Expr: guard(line, guardMake)}
	at(line, s)
	return s
}

// targets guards the keys of assignments.
func targets(list []ast.Expr) {
	for _, e := range list {
		target, ok := e.(*ast.AttrGetExpr)
		if !ok {
			continue
		}
		object := repeatable(target.Object)
		target.Object = expression(target.Object)
		if object == nil {
			object = &ast.NilExpr{}
			at(e.Line(), object)
		}
		target.Key = guard(e.Line(), guardKey, object, expression(target.Key))
	}
}
