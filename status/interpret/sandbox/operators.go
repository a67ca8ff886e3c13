package sandbox

import (
	"slices"
	"strconv"

	"github.com/yuin/gopher-lua/ast"
)

// maxOperands limits the operands of one call of guardConcat.
const maxOperands = 40

func expressions(list []ast.Expr) {
	for i, e := range list {
		list[i] = expression(e)
	}
}

func expression(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.StringConcatOpExpr:
		return concatenation(e)
	case *ast.UnaryLenOpExpr:
		return guard(e.Line(), guardLength, single(expression(e.Expr)))
	case *ast.TableExpr:
		for _, f := range e.Fields {
			f.Value = expression(f.Value)
			if f.Key != nil {
				f.Key = tableKey(f.Key)
			}
		}
		return guard(e.Line(), guardMake, e, number(e.Line(), len(e.Fields)))
	case *ast.FunctionExpr:
		body(e)
		return guard(e.Line(), guardMake, e, number(e.Line(), 0))
	case *ast.Comma3Expr:
		call := guard(e.Line(), guardArgs, &ast.Comma3Expr{ExprBase: e.ExprBase})
		call.AdjustRet = e.AdjustRet
		return call
	}
	inside(e)
	return e
}

// inside rewrites the parts of an expression that itself stays as it is.
func inside(e ast.Expr) {
	switch e := e.(type) {
	case *ast.AttrGetExpr:
		e.Object, e.Key = expression(e.Object), expression(e.Key)
	case *ast.FuncCallExpr:
		if e.Func != nil {
			e.Func = expression(e.Func)
		}
		if e.Receiver != nil {
			e.Receiver = expression(e.Receiver)
		}
		expressions(e.Args)
	case *ast.LogicalOpExpr:
		e.Lhs, e.Rhs = expression(e.Lhs), expression(e.Rhs)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = expression(e.Lhs), expression(e.Rhs)
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = operand(e.Lhs), operand(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		e.Expr = operand(e.Expr)
	case *ast.UnaryNotOpExpr:
		e.Expr = expression(e.Expr)
	}
}

// operand guards an operand of arithmetic unless it is certainly a number.
func operand(e ast.Expr) ast.Expr {
	switch e.(type) {
	case *ast.NumberExpr, *ast.ArithmeticOpExpr, *ast.UnaryMinusOpExpr, *ast.UnaryLenOpExpr:
		return expression(e)
	}
	return guard(e.Line(), guardNumber, single(expression(e)))
}

// tableKey guards a key of a table constructor; the price of the table includes constant strings.
func tableKey(key ast.Expr) ast.Expr {
	if _, constant := key.(*ast.StringExpr); constant {
		return key
	}
	none := &ast.NilExpr{}
	at(key.Line(), none)
	return guard(key.Line(), guardKey, none, expression(key))
}

// concatenation makes one call of "a .. b .. c", or a few calls of a long one.
func concatenation(e *ast.StringConcatOpExpr) ast.Expr {
	var operands []ast.Expr
	var rest ast.Expr = e
	for {
		pair, more := rest.(*ast.StringConcatOpExpr)
		if !more {
			break
		}
		operands = append(operands, single(expression(pair.Lhs)))
		rest = pair.Rhs
	}
	operands = append(operands, single(expression(rest)))
	for len(operands) > maxOperands {
		var parts []ast.Expr
		for part := range slices.Chunk(operands, maxOperands) {
			parts = append(parts, guard(e.Line(), guardConcat, part...))
		}
		operands = parts
	}
	return guard(e.Line(), guardConcat, operands...)
}

// repeatable returns a copy of an expression that may be evaluated twice; nil if it calls something.
func repeatable(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.IdentExpr:
		return &ast.IdentExpr{ExprBase: e.ExprBase, Value: e.Value}
	case *ast.StringExpr:
		return &ast.StringExpr{ConstExprBase: e.ConstExprBase, Value: e.Value}
	case *ast.NumberExpr:
		return &ast.NumberExpr{ConstExprBase: e.ConstExprBase, Value: e.Value}
	case *ast.AttrGetExpr:
		object, key := repeatable(e.Object), repeatable(e.Key)
		if object == nil || key == nil {
			return nil
		}
		return &ast.AttrGetExpr{ExprBase: e.ExprBase, Object: object, Key: key}
	}
	return nil
}

// guard returns a call with one result.
func guard(line int, name string, args ...ast.Expr) *ast.FuncCallExpr {
	function := &ast.IdentExpr{Value: name}
	at(line, function)
	call := &ast.FuncCallExpr{Func: function, Args: args, AdjustRet: true}
	at(line, call)
	return call
}

// single limits an expression to one value: a call in the last place would give all of its results.
func single(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
	return e
}

func number(line, n int) ast.Expr {
	e := &ast.NumberExpr{Value: strconv.Itoa(n)}
	at(line, e)
	return e
}

func at(line int, node ast.PositionHolder) {
	node.SetLine(line)
	node.SetLastLine(line)
}
