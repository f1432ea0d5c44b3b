/* A PTX kernel on two arrays of this program. Build: cc scale.c $(python3 -m transpose_lab.ptx_flags) -o scale */
#include <stdio.h>
#include <transpose_ptx.h>

static const char* const kText =
    ".version 8.0\n"
    ".target sm_80\n"
    ".address_size 64\n"
    ".visible .entry scale(.param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n) {\n"
    "  .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %rd<4>; .reg .f32 %f<3>;\n"
    "  mov.u32 %r1, %ctaid.x;\n"
    "  mov.u32 %r2, %ntid.x;\n"
    "  mov.u32 %r3, %tid.x;\n"
    "  mad.lo.s32 %r1, %r1, %r2, %r3;\n"
    "  ld.param.u32 %r4, [n];\n"
    "  setp.ge.u32 %p, %r1, %r4;\n"
    "  @%p ret;\n"
    "  ld.param.u64 %rd1, [y];\n"
    "  ld.param.u64 %rd2, [x];\n"
    "  mul.wide.u32 %rd3, %r1, 4;\n"
    "  add.s64 %rd1, %rd1, %rd3;\n"
    "  add.s64 %rd2, %rd2, %rd3;\n"
    "  ld.global.f32 %f1, [%rd2];\n"
    "  ld.param.f32 %f2, [a];\n"
    "  mul.f32 %f1, %f1, %f2;\n"
    "  st.global.f32 [%rd1], %f1;\n"
    "  ret;\n"
    "}\n";

static _Alignas(128) float x[100], y[100]; /* as a GPU's buffers are: sectors are counted by addresses */

static int launch(lab_ptx_module* module, unsigned n) {
  const float a = 2;
  const void *to = y, *from = x;
  const lab_ptx_argument arguments[] = {LAB_PTX_ARGUMENT(to), LAB_PTX_ARGUMENT(from), LAB_PTX_ARGUMENT(a), LAB_PTX_ARGUMENT(n)};
  const lab_ptx_range ranges[] = {{x, sizeof x, "x", LAB_PTX_READ_ONLY}, {y, sizeof y, "y", LAB_PTX_UNWRITTEN}};
  lab_ptx_request request = {.struct_bytes = sizeof request};
  request.grid = (lab_ptx_dim){4, 1, 1};
  request.block = (lab_ptx_dim){32, 1, 1};
  request.arguments = arguments, request.argument_count = 4;
  request.ranges = ranges, request.range_count = 2;
  lab_ptx_error error;
  const lab_ptx_result* result = lab_ptx_launch(module, &request, &error);
  if (result == NULL) return fprintf(stderr, "%s: %s\n", error.code, error.message), 1;
  for (size_t i = 0; i < result->finding_count; ++i)
    printf("%s, PTX line %d: %s\n", result->findings[i].code, result->findings[i].ptx_line, result->findings[i].message);
  for (size_t i = 0; result->completed && i < result->counter_count; ++i)
    if (result->counters[i].requests != 0)
      printf("%s: %d requests, %d sectors\n", result->counters[i].path, (int)result->counters[i].requests, (int)result->counters[i].cost);
  lab_ptx_free(result);
  return 0;
}

int main(void) {
  lab_ptx_error error;
  lab_ptx_module* module = lab_ptx_load(kText, 0, &error);
  if (module == NULL) return fprintf(stderr, "%d:%d: %s\n", error.line, error.column, error.message), 1;
  for (int i = 0; i < 100; ++i) x[i] = (float)i;
  int failed = launch(module, 100);
  printf("y[99] = %g\n", y[99]);
  failed |= launch(module, 101); /* an element too many */
  lab_ptx_unload(module);
  return failed;
}
