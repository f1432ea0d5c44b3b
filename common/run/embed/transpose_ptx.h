/* libtranspose-ptx: kernels in PTX, run inside your own process on the simulated GPU.
 *
 * Load a text, launch one of its kernels on your own memory, read what was found and counted. Any thread may
 * call: launches of one module take turns, those of two modules run at once. The library reads no environment
 * variable, starts no process, prints nothing, and never calls exit or abort. Your rounding mode and your
 * -ffast-math do not reach a kernel, and are as before when a call returns. How to build and three programs:
 * docs/embed.md. */
#ifndef TRANSPOSE_PTX_H
#define TRANSPOSE_PTX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lab_ptx_module lab_ptx_module;

/* Why a call gave nothing. `code` is a stable word: "bad-ptx" and "unsupported" (with the place in the PTX
 * text), "bad-request" (an argument of the call makes no sense), "out-of-memory", "internal". */
typedef struct lab_ptx_error {
  char code[32];
  char message[1000];
  int line, column; /* in the PTX text, from 1; 0: unknown */
} lab_ptx_error;

/* `error` of any call may be null. `bytes` 0: the text ends at its first zero byte. Null: it failed. */
lab_ptx_module* lab_ptx_load(const char* text, size_t bytes, lab_ptx_error* error);
/* Null is fine. No other thread may be in a call with the module, or begin one. Names and kernels that it gave
 * end with it; results stay. */
void lab_ptx_unload(lab_ptx_module* module);

typedef enum lab_ptx_kind { LAB_PTX_BITS = 0, LAB_PTX_WHOLE = 1, LAB_PTX_REAL = 2 } lab_ptx_kind;

typedef struct lab_ptx_parameter {
  const char* name;
  uint32_t bytes, align;
  lab_ptx_kind kind; /* as PTX declares it: .b32, .u32 or .s32, .f32 */
} lab_ptx_parameter;

typedef struct lab_ptx_kernel {
  const char* name;
  const lab_ptx_parameter* parameters;
  size_t parameter_count;
  uint32_t shared_bytes; /* of its own, without what a launch adds */
} lab_ptx_kernel;

/* The names of the kernels, in the order of the text: returns how many there are, and writes at most `room`. */
size_t lab_ptx_entries(const lab_ptx_module* module, const char** names, size_t room);
/* Decodes a kernel; `entry` null: the only one of the text. What it returns lives as long as the module. */
const lab_ptx_kernel* lab_ptx_find(lab_ptx_module* module, const char* entry, lab_ptx_error* error);

/* A .global or .const variable: where it lies here, and the address by which kernels know it. Null: there is
 * none of that name. Write to it while no launch of the module runs. */
void* lab_ptx_variable(lab_ptx_module* module, const char* name, uint64_t* address, size_t* bytes);

typedef struct lab_ptx_dim {
  uint32_t x, y, z;
} lab_ptx_dim;

/* One value, of exactly as many bytes as the kernel's parameter has. A pointer is passed as 8 bytes. */
typedef struct lab_ptx_argument {
  const void* value;
  size_t bytes;
} lab_ptx_argument;
#define LAB_PTX_ARGUMENT(variable) \
  { &(variable), sizeof(variable) }

/* Memory of this process that a kernel may reach, at its own address. Ranges do not overlap. An access that
 * lies in none is a finding. */
typedef struct lab_ptx_range {
  void* start;
  size_t bytes;
  const char* name; /* for messages; may be null */
  uint32_t flags;
} lab_ptx_range;
enum {
  LAB_PTX_READ_ONLY = 1, /* a store to it is a finding */
  LAB_PTX_UNWRITTEN = 2  /* a load of what no kernel of this launch has stored is a finding */
};

/* Begin with zeros: `lab_ptx_request request = {0};` in C. What you do not set is then as said here. */
typedef struct lab_ptx_request {
  size_t struct_bytes; /* sizeof(lab_ptx_request): a later library knows which fields you have */
  const char* entry;   /* null: the only kernel of the text */
  lab_ptx_dim grid, block;
  lab_ptx_dim cluster; /* zeros: as the kernel was compiled */
  const lab_ptx_argument* arguments;
  size_t argument_count;
  const lab_ptx_range* ranges;
  size_t range_count;
  uint32_t shared_bytes;        /* dynamic shared memory */
  uint32_t flags;               /* bits that are not below are refused, those of a range too */
  uint32_t host_threads;        /* 0: as many as the machine has */
  uint64_t budget_instructions; /* of warps; behind it the launch ends with a finding. 0: 20 000 000 000 */
  uint64_t schedule; /* 0: warps and blocks take turns in order; else in an order drawn from this number */
} lab_ptx_request;
enum {
  LAB_PTX_NO_CHECKS = 1, /* no search for races and unwritten values; bounds are always checked */
  LAB_PTX_STOP = 2,      /* what a check finds ends the launch */
  LAB_PTX_RAW_MEMORY = 4 /* kernels reach all memory of this process: a wild pointer ends it */
};

typedef struct lab_ptx_finding {
  const char* code; /* "out-of-bounds", "global-race", …: `lab explain CODE` says more */
  const char* message;
  const char* file; /* of the source, where the PTX names one; else "" */
  int line;         /* 0: unknown */
  int ptx_line;     /* 0: unknown */
  lab_ptx_dim block, thread;
  uint64_t address;
  uint64_t count; /* how often it was seen */
  int ended;      /* 1: it ended the launch, or kept it from starting */
} lab_ptx_finding;

/* What moved on one path. `cost` and `ideal` are sectors or wavefronts, as the path has them. */
typedef struct lab_ptx_counter {
  const char* path; /* "global_load", "shared_store", … */
  uint64_t requests, cost, ideal, active_lanes, bytes;
} lab_ptx_counter;

typedef struct lab_ptx_line_counter {
  const char* file;
  int line;
  lab_ptx_counter counter;
} lab_ptx_line_counter;

typedef struct lab_ptx_result {
  int completed;                   /* 1: nothing ended the launch; its findings may be many all the same */
  const lab_ptx_finding* findings; /* what ended the launch comes first */
  size_t finding_count;
  const lab_ptx_counter* counters; /* every path, also those on which nothing moved */
  size_t counter_count;
  const lab_ptx_line_counter* lines;
  size_t line_count;
  uint64_t warp_instructions, lane_instructions; /* 0 where a finding ended the launch */
  double seconds;
  const char* output; /* what the kernel printed, and its length without the zero behind it */
  size_t output_bytes;
} lab_ptx_result;

/* Null: the request makes no sense, and `error` says why. Everything else, a launch that a GPU would refuse
 * too, is a result. It lives until lab_ptx_free, whatever becomes of the module. */
const lab_ptx_result* lab_ptx_launch(lab_ptx_module* module, const lab_ptx_request* request,
                                     lab_ptx_error* error);
void lab_ptx_free(const lab_ptx_result* result); /* null is fine */

/* All of a result as one JSON object (docs/json.md, "launch"), in UTF-8; it lives as long as the result. Null
 * where memory ran out. */
const char* lab_ptx_json(const lab_ptx_result* result);

#ifdef __cplusplus
}
#endif
#endif
