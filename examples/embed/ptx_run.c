/* gpuocelot's ptx_run on the simulated GPU, as tinygrad's mock GPUs call it. Build and use: docs/embed.md.
 * They pass addresses and no sizes, so kernels reach all memory of the process. Findings go to standard error. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <transpose_ptx.h>

typedef struct kept { /* texts are launched again and again */
  char* text;
  lab_ptx_module* module;
  struct kept* next;
} kept;
static kept* all;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static lab_ptx_module* loaded(const char* text, lab_ptx_error* error) {
  pthread_mutex_lock(&turn);
  kept* one = all;
  while (one != NULL && strcmp(one->text, text) != 0) one = one->next;
  if (one == NULL && (one = calloc(1, sizeof *one)) != NULL) {
    *one = (kept){strdup(text), lab_ptx_load(text, 0, error), all};
    all = one;
  }
  pthread_mutex_unlock(&turn);
  return one == NULL ? NULL : one->module;
}

void ptx_run(const char* text, int count, void* values[], int block_x, int block_y, int block_z, int grid_x, int grid_y, int grid_z, int shared) {
  lab_ptx_error error = {0};
  lab_ptx_module* module = loaded(text, &error);
  const lab_ptx_kernel* kernel = module == NULL ? NULL : lab_ptx_find(module, NULL, &error);
  lab_ptx_argument arguments[count > 0 ? count : 1]; /* eight bytes each, of which a parameter takes its own */
  for (int i = 0; i < count; ++i)
    arguments[i] = (lab_ptx_argument){&values[i], kernel != NULL && (size_t)i < kernel->parameter_count ? kernel->parameters[i].bytes : 8};
  lab_ptx_request request = {.struct_bytes = sizeof request, .grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z},
    .arguments = arguments, .argument_count = count, .shared_bytes = shared, .flags = LAB_PTX_RAW_MEMORY};
  const lab_ptx_result* result = kernel == NULL ? NULL : lab_ptx_launch(module, &request, &error);
  if (result == NULL) fprintf(stderr, "ptx_run: %s: %s\n", error.code, error.message);
  for (size_t i = 0; result != NULL && i < result->finding_count; ++i)
    fprintf(stderr, "ptx_run: %s in %s, PTX line %d: %s\n", result->findings[i].code, kernel->name, result->findings[i].ptx_line, result->findings[i].message);
  lab_ptx_free(result);
}
