/* The door from C, for test_embed.py: through_c PTX ENTRY GRID BLOCK FLAGS ARGUMENT... prints the launch as JSON.
 * An argument is i:NUMBER (4 bytes), f:NUMBER, or b:FILE, whose bytes a buffer holds before and the file afterwards. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <transpose_ptx.h>

enum { MOST = 16 };

static char* whole(const char* name, size_t* bytes) {
  FILE* const file = fopen(name, "rb");
  if (file == NULL) exit(3);
  fseek(file, 0, SEEK_END);
  *bytes = (size_t)ftell(file);
  rewind(file);
  char* const text = aligned_alloc(512, (*bytes + 512) / 512 * 512);
  if (fread(text, 1, *bytes, file) != *bytes) exit(3);
  fclose(file);
  return text;
}

int main(int count, char** words) {
  lab_ptx_error error;
  size_t bytes;
  char* const text = whole(words[1], &bytes);
  lab_ptx_module* const module = lab_ptx_load(text, bytes, &error);
  if (module == NULL) return printf("%s %d %d %s", error.code, error.line, error.column, error.message), 1;
  union {
    int whole;
    float real;
    void* place;
  } values[MOST];
  char names[MOST][32];
  lab_ptx_argument arguments[MOST];
  lab_ptx_range ranges[MOST];
  lab_ptx_request request = {.struct_bytes = sizeof request, .entry = words[2], .grid = {(unsigned)atoi(words[3]), 1, 1},
    .block = {(unsigned)atoi(words[4]), 1, 1}, .flags = (unsigned)atoi(words[5]), .arguments = arguments, .ranges = ranges};
  for (int i = 6; i < count; ++i) {
    const size_t at = request.argument_count++;
    arguments[at] = (lab_ptx_argument){&values[at], 4};
    if (words[i][0] == 'i') values[at].whole = atoi(words[i] + 2);
    if (words[i][0] == 'f') values[at].real = (float)atof(words[i] + 2);
    if (words[i][0] != 'b') continue;
    values[at].place = whole(words[i] + 2, &bytes);
    arguments[at].bytes = 8;
    sprintf(names[at], "argument %d", i - 5);
    ranges[request.range_count++] = (lab_ptx_range){values[at].place, bytes, names[at], 0};
  }
  const lab_ptx_result* const result = lab_ptx_launch(module, &request, &error);
  if (result == NULL) return printf("%s %d %d %s", error.code, error.line, error.column, error.message), 1;
  puts(lab_ptx_json(result));
  for (int i = 6, range = 0; i < count; ++i) {
    if (words[i][0] != 'b') continue;
    FILE* const file = fopen(words[i] + 2, "wb");
    fwrite(ranges[range].start, 1, ranges[range].bytes, file);
    fclose(file);
    free(ranges[range++].start);
  }
  lab_ptx_free(result);
  lab_ptx_unload(module);
  free(text);
  return 0;
}
