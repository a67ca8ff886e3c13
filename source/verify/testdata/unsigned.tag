object 2b4e311e4f80f3d6252b14f142432ff7a6896559
type commit
tag v3.0.0
tagger Ada <ada@example.com> 1795412760 +0000

no signature
