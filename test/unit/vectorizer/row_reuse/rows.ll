; PASSES: row-reuse
; Each element is accessed in one place, one lane after the other.
; CHECK-NOT: ; in_turn
define void @in_turn(i64 %lane.x, i64 %row.y, i64 %n, ptr %a, ptr %b) "conclave.region" {
  %line = mul i64 %row.y, %n
  %i = add i64 %line, %lane.x
  %p = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %p
  %q = getelementptr float, ptr %b, i64 %i
  store float %x, ptr %q
  ret void
}

; What one row reads is read again in another one.
; CHECK-DAG: ; stencil: rows may share lines
define void @stencil(i64 %lane.x, i64 %row.y, i64 %n, ptr %a, ptr %b) "conclave.region" {
  %line = mul i64 %row.y, %n
  %i = add i64 %line, %lane.x
  %p = getelementptr float, ptr %a, i64 %i
  %x = load float, ptr %p
  %above = getelementptr float, ptr %p, i64 %n
  %y = load float, ptr %above
  %s = fadd float %x, %y
  %q = getelementptr float, ptr %b, i64 %i
  store float %s, ptr %q
  ret void
}

; The next rows write the rest of each line.
; CHECK-DAG: ; across: rows may share lines
define void @across(i64 %lane.x, i64 %row.y, i64 %n, ptr %b) "conclave.region" {
  %column = mul i64 %lane.x, %n
  %i = add i64 %column, %row.y
  %q = getelementptr float, ptr %b, i64 %i
  store float 1.0, ptr %q
  ret void
}
