"""What `ptxas` takes: single statements of PTX, drawn from a grammar of its manual, and the verdicts of `ptxas` for each target.

    statements.py OUT        draws, asks `ptxas` (the one on PATH; 13.0 today) and writes statements.txt.gz; LAB_SEED draws others

Of the result the first two lines are what the statements may name: of the module, of the kernel. Any other is a number of two digits and a statement: bit k of the number says that `ptxas` takes it for TARGETS[k]. The judge is `ptxas`;
tests/sim/test_statements.cpp holds the simulator to it, and needs no `ptxas`. Half of what is drawn is wrong on purpose, or may be:
modifiers that do not fit, in any order, operands of every form at every place.
"""

import gzip
import os
import random
import re
import subprocess
import sys
import tempfile

TARGETS = ["sm_75", "sm_80", "sm_89", "sm_90", "sm_100a"]
VERSION = "9.0"
DRAWS = 110  # of each line of the grammar

MODULE = (".global .align 16 .b32 tab[64]; .const .align 16 .b32 con[64]; .shared .align 16 .b32 sh[64]; "
          ".func (.reg .b32 o) plus(.reg .b32 a, .reg .b32 b) { add.s32 o, a, b; ret; } "
          ".func (.param .b32 o) same(.param .b32 a) { .reg .b32 r; ld.param.b32 r, [a]; st.param.b32 [o], r; ret; }")
BODY = (".reg .pred p<5>; .reg .b16 h<5>; .reg .b32 r<7>; .reg .b64 d<5>; .reg .f32 f<5>; .reg .f64 g<5>; .reg .b128 q<3>; .reg .b8 c<3>; "
        ".reg .v2 .b32 w; .reg .v4 .b32 x; .reg .v2 .b16 y; .reg .b64 pg, pn; .reg .b32 ps; .local .align 16 .b32 loc[64]; .param .b32 pa;")

INTEGERS = "u16 s16 u32 s32 u64 s64"
FLOATS = "f16 f16x2 bf16 bf16x2 f32 f64"
ROUND = "rn rz rm rp"
COMPARE = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"

# opcode | modifiers: groups with `;`, one of each or none (`!`: always one) | types, one of each group | operands: D and S of the first
# type, E and T of the second, W the first one doubled, p a predicate, P one that is written (or two), b a word of 32 bits, i a number, g s n
# addresses of global, shared, any memory, l a label, v vectors of the first type with the right length, V such that are written, x1 x2 x4 words
# of which a part is written, y1 y2 y4 words of which parts are read, z1 such with a sign perhaps
GRAMMAR = f"""
add sub | {ROUND};ftz;sat;cc;relu | {INTEGERS} u16x2 s16x2 {FLOATS} | D S S
addc subc | cc;sat | {INTEGERS} | D S S
mul | {ROUND};ftz;sat | {FLOATS} | D S S
mul | !lo hi;sat | {INTEGERS} | D S S
mul | !wide | {INTEGERS} | W S S
mad | !lo hi;sat;cc | {INTEGERS} | D S S S
mad | !wide;sat | {INTEGERS} | W S S W
madc | !lo hi;cc | {INTEGERS} | D S S S
mad fma | {ROUND};ftz;sat;relu;oob | {FLOATS} | D S S S
mul24 | !lo hi | u32 s32 u64 | D S S
mad24 | !lo hi;sat | u32 s32 u64 | D S S S
sad | | {INTEGERS} f32 | D S S S
div | !{ROUND} approx full;ftz;sat | f32 f64 f16 | D S S
div rem | rn | {INTEGERS} | D S S
abs neg | ftz;sat | {INTEGERS} {FLOATS} | D S
min max | ftz;NaN;relu;xorsign.abs | {INTEGERS} u16x2 s16x2 {FLOATS} | D S S
rcp sqrt | !{ROUND} approx;ftz;sat | f32 f64 f16 | D S
rsqrt sin cos lg2 ex2 tanh | !approx rn;ftz | f32 f64 f16 f16x2 bf16 bf16x2 | D S
copysign | | f32 f64 f16 | D S S
testp | !finite infinite number notanumber normal subnormal | f32 f64 f16 | P S
and or xor | | pred b16 b32 b64 u32 | D S S
not | | pred b16 b32 b64 u32 | D S
cnot | | b16 b32 b64 u32 | D S
shl | | b16 b32 b64 u32 | D S b
shr | | b16 b32 b64 u16 s16 u32 s32 u64 s64 | D S b
shf | !l r;clamp wrap | b32 b64 | D S S b
lop3 | | b32 b64 | D S S S i
lop3 | !or and xor | b32 | r0|p0 S S S i p
lop3 | !or and | b32 | _|p0 S S S i p
prmt | f4e b4e rc8 ecl ecr rc16 | b32 u32 | D S S b
bfe | | u32 s32 u64 s64 b32 | D S b b
bfi | | b32 b64 u32 | D S S b b
bfind | shiftamt | u32 s32 u64 s64 b32 | b S
bmsk | !clamp wrap | b32 u32 | D b b
szext | !clamp wrap | u32 s32 | D S b
brev | | b32 b64 u32 | D S
clz popc | | b32 b64 u32 | b S
fns | | b32 | D S b b
dp4a | | u32 s32;u32 s32 | b b b b
dp2a | !lo hi | u32 s32;u32 s32 | b b b b
selp | ftz | b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64 f16 | D S S p
slct | ftz | b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64;s32 f32 u32 | D S S T
set | !{COMPARE};ftz | u16 u32 s32 f32 f16 bf16 f16x2;b16 b32 b64 {INTEGERS} {FLOATS} | D T T
set | !{COMPARE};!and or xor;ftz | u32 s32 f32;b32 {INTEGERS} f32 f64 | D T T p
setp | !{COMPARE};ftz | b16 b32 b64 {INTEGERS} {FLOATS} | P S S
setp | !{COMPARE};!and or xor;ftz | b16 b32 b64 {INTEGERS} {FLOATS} | P S S p
cvt | {ROUND} rni rzi rmi rpi rna;ftz;sat;relu;satfinite | u8 s8 {INTEGERS} f16 bf16 f32 f64 tf32;u8 s8 {INTEGERS} f16 bf16 f32 f64 | D T
cvt | !{ROUND} rni rzi rmi rpi;ftz;sat | f16 bf16 f32 f64;f16 bf16 f32 f64 | D T
cvt | !rn rz rna;relu;satfinite;ftz | f16x2 bf16x2 e4m3x2 e5m2x2;f32 | D T T
cvt | !rn rz;relu;satfinite | f16x2 e4m3x2 e5m2x2 bf16x2;f16x2 e4m3x2 e5m2x2 bf16x2 | D T
cvt | !pack;!sat | u16 s16 u8 s8;s32 u32 | b T T
cvt | !pack;!sat | u8 s8 u4 s4 u2 s2;s32;b32 u32 | b T T b
mov | | pred b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64 b128 | D S
mov | !v2 v4 | b16 u16 b32 u32 f32 b64 | V v
ld | volatile relaxed acquire weak;gpu cta sys;!global;ca cg cs lu cv nc;v2 v4;L1::no_allocate L2::128B | b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64 b128 f16 | V g
ld | volatile;!shared shared::cta local const param global;v2 v4 | b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 f64 | V s
ld | volatile relaxed;cta gpu;v2 v4 | b8 u8 s16 b32 f32 u64 f64 b128 | V n
ldu | !global;v2 v4 | b8 u8 b16 u32 f32 u64 f64 | V g
st | volatile relaxed release weak;gpu cta sys;!global;wb cg cs wt;v2 v4 | b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64 b128 f16 | g v
st | volatile;!shared shared::cta local param::func const global;v2 v4 | b8 u8 b16 u16 b32 u32 f32 b64 f64 | s v
st | volatile relaxed;cta gpu;v2 v4 | b8 u8 s16 b32 f32 u64 f64 | n v
atom | relaxed acquire release acq_rel;gpu cta sys;!global;!add min max and or xor exch inc dec;noftz | b32 b64 {INTEGERS} {FLOATS} | D g S
atom | relaxed;cta;!shared;!add min max and or xor exch inc dec;noftz | b32 b64 u32 s32 u64 s64 f32 f64 f16x2 | D s S
atom | acquire;sys;!global;!cas | b16 b32 b64 b128 u32 s32 u64 | D g S S
atom | !global;!add min max;!v2 v4;noftz | f32 f16 bf16 f16x2 bf16x2 f64 | V g v
red | relaxed release;gpu cta sys;!global;!add min max and or xor inc dec exch;noftz | b32 b64 {INTEGERS} {FLOATS} | g S
red | !global;!add min;!v2 v4;noftz | f32 f16 bf16 f16x2 bf16x2 | g v
cvta | to;!global shared local const param shared::cta | u64 u32 | D S
isspacep | !global shared local const shared::cta shared::cluster | none | P pn
prefetch | !global local shared;!L1 L2 | none | g
prefetchu | !L1 L2 | none | n
discard | !global;!L2 L1 | none | g 128
applypriority | !global;!L2::evict_normal L2::evict_last | none | g 128
createpolicy | !fractional;!L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged | b64 | D i
bar | !sync arrive | none | i 32
barrier | !sync arrive;aligned | none | i 32
bar barrier | !sync;aligned;cta | none | i
bar barrier | !red;!popc;aligned | u32 s32 | D i p
bar barrier | !red;!and or popc;aligned | pred | P i p
bar | !warp.sync | none | b
vote | !sync;!all any uni ballot | pred | P p b
vote | !sync;!ballot all | b32 u32 | D p b
shfl | !sync;!up down bfly idx | b32 u32 b64 | D S b b b
match | !any all;!sync | b32 b64 u32 | b S b
redux | !sync;!add min max and or xor;abs NaN | u32 s32 b32 f32 | D S b
elect | !sync | none | r1|p1 b
activemask | | b32 u32 | D
membar | !gl cta sys gpu | none |
fence | sc acq_rel acquire;!gpu cta sys cluster | none |
fence | !proxy.alias proxy.async proxy.async.global proxy.async.shared::cta mbarrier_init.release.cluster | none |
bra | uni | none | l
nanosleep | | u32 b32 | S
pmevent | mask | none | i
mbarrier | !init;shared shared::cta | b64 | s 32
mbarrier | !inval;shared shared::cta | b64 | s
mbarrier | !arrive arrive_drop;!shared shared::cta;noComplete | b64 | D s
mbarrier | !arrive;!expect_tx;release relaxed;cta cluster;!shared::cta | b64 | D s b
mbarrier | !test_wait try_wait;parity;!shared shared::cta | b64 | P s D
mbarrier | !pending_count | b64 | b D
cp.async | !ca cg;!shared shared::cta;!global;L2::128B | none | s g 16
cp.async | !ca;!shared;!global | none | s g 4 b
cp.async | !commit_group wait_all | none |
cp.async | !wait_group | none | i
ldmatrix | !sync;!aligned;!m8n8;!x1;trans;!shared shared::cta | b16 b8 | {{b}} s
ldmatrix | !sync;!aligned;!m8n8;!x2;trans;shared | b16 | {{b,b}} s
stmatrix | !sync;!aligned;!m8n8;!x1;trans;!shared | b16 | s {{b}}
movmatrix | !sync;!aligned;!m8n8;!trans | b16 | b b
mapa | shared::cluster | u32 u64 | D S b
getctarank | shared::cluster | u32 u64 | b S
griddepcontrol | !wait launch_dependents | none |
setmaxnreg | !inc dec;!sync;!aligned | u32 | 64
istypep | !texref samplerref surfref | none | P d1
call | uni | none | (b), plus, (b, 5)
call | uni | none | (b), same, (b)
vadd vsub vabsdiff vmin vmax | sat;add min max | u32 s32;u32 s32;u32 s32 | D S S S
vadd2 vabsdiff4 vmin4 vavrg2 | sat add | u32 s32;u32 s32;u32 s32 | D S S S
vadd vsub vabsdiff vmin vmax | sat;add min max | u32 s32;u32 s32;u32 s32 | x1 y1 y1 b
vadd2 vsub2 vabsdiff2 vmin2 vmax2 vavrg2 | sat;add | u32 s32;u32 s32;u32 s32 | x2 y2 y2 b
vadd4 vsub4 vabsdiff4 vmin4 vmax4 vavrg4 | sat;add | u32 s32;u32 s32;u32 s32 | x4 y4 y4 b
vset | !eq ne lt le gt ge lo equ;add min max | u32 s32;u32 s32 | x1 y1 y1 b
vset2 | !eq ne lt le gt ge hs;add sat | u32 s32;u32 s32 | x2 y2 y2 b
vset4 | !eq ne lt le gt ge num;add sat | u32 s32;u32 s32 | x4 y4 y4 b
vshl vshr | !clamp wrap;sat;add min max | u32 s32;u32 s32;u32 s32 | x1 y1 y1 b
vmad | po;sat;shr7 shr15 | u32 s32;u32 s32;u32 s32 | b z1 z1 z0
fma | !rn;!oob;relu;ftz;sat | f16 f16x2 bf16 bf16x2 | D S S S
add sub mul | {ROUND};ftz;sat | f32x2 | D S S
fma | {ROUND};ftz;sat | f32x2 | D S S S
add sub mul | {ROUND};ftz;sat | f32;f16 bf16 | D T S
fma | !{ROUND};ftz;sat | f32;f16 bf16 | D T T S
min max | ftz;NaN;abs xorsign.abs | f32 f64 | D S S S
redux | !sync;!min max;abs;NaN | f32 | D S b
cvt | !rn rz;!satfinite;relu | e2m1x2 e2m3x2 e3m2x2;f32 f16x2 | D T T
cvt | !rn;relu;satfinite | f16x2;e2m1x2 e2m3x2 e3m2x2 | D T
cvt | !rz rp rn;satfinite;relu | ue8m0x2;f32 | D T T
cvt | !rz rp rn;satfinite | ue8m0x2 bf16x2;bf16x2 ue8m0x2 | D T
mma | !sync;!aligned;!m16n8k16 m16n8k8;!row;!col | f32;bf16 f16 tf32;bf16 f16 tf32;f32 | {{f0,f1,f2,f3}} {{b,b,b,b}} {{b,b}} {{f1,f2,f3,f4}}
mma | !sync;!aligned;!m16n8k16 m16n8k32;!row;!col;satfinite | s32;s8 u8 e4m3;s8 u8;s32 | {{r0,r1,r2,r3}} {{b,b,b,b}} {{b,b}} {{b,b,b,b}}
mma | !sync;!aligned;!m16n8k4 m16n8k8;!row;!col | f64;f64;f64;f64 | {{g0,g1,g2,g3}} {{g1,g2}} {{g1}} {{g1,g2,g3,g4}}
mma | !sp sp::ordered_metadata;!sync;!aligned;!m16n8k16 m16n8k8;!row;!col | f32;f16 bf16 tf32;f16 bf16 tf32;f32 | {{f0,f1,f2,f3}} {{b,b}} {{b,b}} {{f1,f2,f3,f4}} b i
mma | !sp sp::ordered_metadata;!sync;!aligned;!m16n8k16 m16n8k32 m16n8k64;!row;!col | f32;f16 bf16 tf32 e4m3 e5m2;f16 bf16 tf32 e4m3 e5m2;f32 | {{f0,f1,f2,f3}} {{b,b,b,b}} {{b,b,b,b}} {{f1,f2,f3,f4}} b 0
mma | !sp sp::ordered_metadata;!sync;!aligned;!m16n8k64 m16n8k128;!row;!col;satfinite | s32;s8 u8 s4;s8 u8 s4;s32 | {{r0,r1,r2,r3}} {{b,b,b,b}} {{b,b,b,b}} {{b,b,b,b}} b 0
st | !bulk;weak;shared::cta shared global | none | n 64 0
st | !bulk;weak;!shared::cta | none | s d1 i
cvt | !rs;relu;satfinite | f16x2 bf16x2;f32 | D T T b
cvt | !rs;satfinite;relu | e4m3x4 e5m2x4 e2m3x4 e3m2x4;f32 | b {{f1,f2,f3,f4}} b
cvt | !rs;!satfinite;relu | e2m1x4;f32 | h0 {{f1,f2,f3,f4}} b
sust | !p b;!1d;!trap clamp zero;v2 v4 | b32 b8 b16 b64 | [d1,{{r1}}] v
sust | !p b;!2d;!trap clamp zero;v2 v4 | b32 b8 b16 b64 | [d1,{{r1,r2}}] v
sured | !b p;!add min max and or xor;!2d;!trap clamp zero | u32 s32 b32 u64 s64 | [d1,{{r1,r2}}] S
tensormap | !replace;!tile;!global_address;global shared::cta;!b1024 | b64 b32 | g d1
tensormap | !replace;!tile;!rank;global;!b1024 | b32 | g b
tensormap | !replace;!tile;!box_dim global_dim element_stride;!global;!b1024 | b32 | g i b
tensormap | !replace;!tile;!global_stride;!shared::cta;!b1024 | b64 | s i d1
tensormap | !replace;!tile;!elemtype swizzle_mode fill_mode interleave_layout;!global;!b1024 | b32 | g i
tensormap | !cp_fenceproxy;!global;!shared::cta;!tensormap::generic;!release;!gpu cta sys cluster;!sync;!aligned | none | g s 128
ld st atom | !relaxed;!cluster;!global;add | b32 u32 | g S
cp.async | !mbarrier;!arrive;noinc;shared shared::cta;!b64 | none | s
cp.async | !bulk;!shared::cluster shared::cta;!global;!mbarrier::complete_tx::bytes;L2::cache_hint | none | s g b s
cp.async | !bulk;!shared::cluster;!shared::cta;!mbarrier::complete_tx::bytes | none | s s b s
cp.async | !bulk;!global;!shared::cta;!bulk_group;L2::cache_hint | none | g s b
cp.async | !bulk;!commit_group wait_all | none |
cp.async | !bulk;!wait_group;read | none | i
cp.async | !bulk;!prefetch;!L2;!global;L2::cache_hint | none | g b
cp.async | !bulk;!prefetch;!tensor;!2d 1d;!L2;!global;tile | none | [pg,{{b,b}}]
cp.async | !bulk;!tensor;!2d;!shared::cluster shared::cta;!global;tile;!mbarrier::complete_tx::bytes | none | s [pg,{{b,b}}] s
cp.async | !bulk;!tensor;!1d;!shared::cluster;!global;!mbarrier::complete_tx::bytes;multicast::cluster | none | s [pg,{{b}}] s
cp.async | !bulk;!tensor;!2d 3d;!global;!shared::cta;tile;!bulk_group;L2::cache_hint | none | [pg,{{b,b}}] s
cp.reduce | !async;!bulk;!global;!shared::cta;!bulk_group;!add min max and or xor inc dec;noftz | u32 s32 u64 s64 f16 bf16 f32 f64 b32 b64 | g s b
cp.reduce | !async;!bulk;!shared::cluster;!shared::cta;!mbarrier::complete_tx::bytes;!add min and or inc | u32 s32 u64 b32 | s s b s
cp.reduce | !async;!bulk;!tensor;!2d;!global;!shared::cta;!add min max and or xor inc;tile;!bulk_group | none | [pg,{{b,b}}] s
barrier | !cluster;!arrive wait;release acquire relaxed;aligned | none |
mbarrier | !test_wait try_wait;acquire relaxed;cta cluster;!shared shared::cta | b64 | P s D
mbarrier | !try_wait;parity;acquire;cta;!shared::cta | b64 | P s b b
mbarrier | !arrive arrive_drop;release relaxed;cta cluster;!shared::cta shared::cluster | b64 | _ s b
mbarrier | !expect_tx complete_tx;!relaxed;!cta cluster;!shared::cta shared::cluster | b64 | s b
fence | !proxy;!async async.global async.shared::cta alias tensormap::generic;release acquire;gpu sys | none |
fence | !acquire release;!sync_restrict::shared::cta sync_restrict::shared::cluster;!cluster | none |
shfl | !sync;!up down bfly idx | b32 | r0|p0 b i 31 -1
match | !all;!sync | b32 b64 | r0|p0 S b
bar barrier | !sync arrive;aligned | none | b b
bar barrier | !red;!and or popc;aligned | pred | P b 32 p
wgmma | !fence commit_group;!sync;!aligned | none |
wgmma | !wait_group;!sync;!aligned | none | i
ldmatrix | !sync;!aligned;!m16n16 m8n16;!x1 x2;trans;shared | b8 b16 b8x16.b6x16_p32 b8x16.b4x16_p64 | {{b,b}} s
stmatrix | !sync;!aligned;!m16n8 m8n8;!x1 x2;trans;shared | b8 b16 | s {{b,b}}
"""
# Parts of words, of a destination and of a source. Where there is none, the whole word.
MASKS = {"1": "b0 b1 b2 b3 h0 h1", "2": "h0 h1 h10", "4": "b0 b1 b10 b2 b20 b21 b210 b3 b30 b31 b310 b32 b320 b321 b3210"}
SELECTORS = {"0": "", "1": MASKS["1"], "2": "h10 h32 h01 h31 h00 h23", "4": "b3210 b7654 b0123 b7531 b0000 b4321"}

# What a fresh seed showed.
KEPT = """bar.warp.sync r1+1;| barrier.sync w.x, 32;| barrier.sync r1, r1+32;| barrier.sync.aligned r1+1;| match.sync.all.b64 r0|p0, d2, r1+1;| redux.sync.add.u32 r0, r1+1, r1;
| shfl.sync.up.b32 w.x, r1, r2, r3, r1;| vote.sync.ballot.b32 r0, p1, r1+1;| lop3.b32 r0, r2, r3, r4, r1;| lop3.or.b32 _|p0, r2, r3, r4, r1+1, p3;| lop3.and.b32 r0|p0, r2, r3, r4, plus, p1;
| vabsdiff4.u32.s32.u32 r0, r1+1, r3, r4;| vabsdiff4.sat.s32.u32.u32 r0.b0, r2.b0000, plus, r4;| vset.u32.ge.min.u32 r0, r2.b1, r1+1, r4;| vadd.u32.u32.u32.add r0, r1, r2, d1+8;
| vset.u32.u32.lt.add r0, r1, r2, d1+8;| cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [tab+8], [ps+16], r3;| cvt.rn.bf16x2.ue8m0x2 p1, h2;| st.bulk.shared::cta [sh], d1, 0;
| st.param::func.b8 [ps+16], r1;| bfe.u32 r0, d1+8, 1, 2;| bfe.u32 r0, r2, d1+8, r4;| bmsk.clamp.b32 r0, tab+4, 2;| bmsk.wrap.b32 r0, r2, d1+8;| shl.b32 r0, d1+8, r1;| shr.u16 h0, h2, d1+8;
| dp4a.u32.s32 r1, r2, r3, tab+4;| dp2a.hi.u32.u32 r1, r2, r3, d1+8;| div.u32 r0, d1+8, r3;| div.s64 d0, d2, tab+4;| rem.u32 r0, r2, tab+4;| add.s16x2 r0, tab+4, r3;| not.b16 h0, r1+1;
| nanosleep.u32 tab+4;| nanosleep.u32 d1+8;| bar.arrive 1, tab+4;| bar.sync d1+8, 32;| getctarank.u32 r1, tab+4;| szext.clamp.s32 r0, d1+8, r3;| szext.clamp.s32 r0, r2, d1+8;
| mul.wide.s16 r0, d1+8, h3;| slct.f64.s32 g0, g2, g3, d1+8;| cvt.rn.f16x2.e4m3x2 r0, r1+1;| abs.f16 h0, d1+8;| popc.b32 r1, h1+1;| madc.hi.u64 d0, d2, r1+1, d4;
| lop3.b32 _, r2, r3, r4, 1;| mma.sync.aligned.f64.m16n8k4.row.f64.col.f64.f64 {g0,g1,g2,g3}, {g1,g2}, WARP_SZ, {g1,g2,g3,g4};| setmaxnreg.inc.sync.u32.aligned -1;
| mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {r0,r1}, r1, {r1}, {r1,r2};| stmatrix.sync.aligned.m8n8.x1.shared.b16 [sh], {1};| wmma.load.a.sync.aligned.row.m8n8k4.f64 g0, [pg];
| cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes sh, [pg,{r3}], d1;| cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [sh], [pg,{r3}], plus;
| isspacep.global p1, r1;| isspacep.shared p1, r1+1;| isspacep.const p1, w.x;
| bar.red.popc.pred r1, r2, 32, p3;| bar.red.and p1, 0, p2;| bar.red.and.or.pred p1, 0, p2;| barrier.red.sync.popc.u32 r1, 0, p1;| bar.sync.u32 0;| bar 0;| barrier.cta.red.aligned.popc.u32 r1, 0, p1;
| bmsk.clamp.b32 f1, r2, r3;| match.sync.all.b32 f1|p1, r1, r2;| redux.sync.and.b32 r1, f2, r1;| elect.sync f1|p1, r1;| mbarrier.arrive.shared.b64 g1, [ps];| fns.b32 r1, r2, r3, f4;
| createpolicy.fractional.L2::evict_first.b64 g1, 1.0;| createpolicy.range.L2::evict_first.b64 d1, [pg], f1, r2;| cvta.to.global.u64 g0, d1;| cvta.global.u64 d0, g1;| ld.global.b32 r1, [g1+4];
| st.shared.b32 [f1], r1;| red.shared.add.u32 [f1], r1;| mbarrier.init.shared.b64 [f1], 5;| ld.weak.v2.global.nc.f32 {f0, f1}, [tab];| st.weak.param.u32 [pa], r1;
| cp.async.mbarrier.arrive.shared.b64 [tab+4];| cp.async.mbarrier.arrive.b64 [con];| cp.async.mbarrier.arrive.noinc.b64 [loc+8];| ldmatrix.sync.aligned.m8n8.x2.b16 {r0,r1}, [loc+8];
| stmatrix.sync.aligned.m8n8.x1.b16 [loc], {r1};| ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r1}, [loc];| mbarrier.init.b64 [loc], 5;| mbarrier.init.shared.b64 [ps], tab+4;| match.sync.all.b64 r1, tab+4, r3;
| bar.warp.sync tab+4;| st.global.u64 [pg], tab+4;| red.release.gpu.global.max.u32 [tab+8], d1+8;| shfl.sync.idx.b32 r0, d1+8, r2, r3, r4;| shfl.sync.idx.b32 r0, r1, d1+8, r3, r4;| shfl.sync.idx.b32 r0, r1, r2, r3, d1+8;
| mov.u32 r0, d1+8;| mov.b16 h0, r1+1;| redux.sync.add.u32 r0, d1+8, r1;| vote.sync.ballot.b32 r0, p1, d1+8;| elect.sync r0|p0, d1+8;| cp.async.ca.shared.global [ps], [pg], 16, tab+4;
| mov.u16 h0, %clock64;| mov.s16 h0, %pm0;| mov.u16 h0, %laneid;| mov.u16 h0, %nctaid.y;| mov.f32 f0, %tid.x;| mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {r0,r1}, {r0,r1}, {f0,f1,f2,f3}, -1, 0;
| slct.u64.s32 d0, d1+8, d2, r1;| slct.b64.s32 d0, d1, tab+4, r1;| slct.s64.f32 d0, d2, d1+8, r1+1;| mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {g0,g1}, {g1}, {g2}, {0.0,0.0};| mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {r0,r1}, {r1}, {f1,0f00000000,f2,f3};| mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {r0,r1}, {r1}, {0.0,0.0,0.0,0.0};
| cp.reduce.async.bulk.min.tensor.2d.global.shared::cta.bulk_group [pg,{r2,r2}], [ps+16];| cp.reduce.async.bulk.tensor.min.2d.global.shared::cta.bulk_group [pg,{r2,r2}], [ps+16];
| mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {r1,r2,r3,r4}, {r1,r2}, {1,f1,f2,f3};
| mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {0.0,r2,r3,r4}, {-1,r2}, {0.0,f1,f2,f3};
| mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {0,0,0,0}, {r1,r2}, {f0,f1,f2,f3};
| mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {r0,r1}, {r1,r2,r3,r4}, {r1,r2}, {0,0};| mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {r0,r1,r2,r3}, {r1,r2}, {r1}, {1,2,3,4};
| mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {r0,r1,r2,r3}, {r1,r2}, {1}, {r1,r2,r3,r4};| mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {g0,g1}, {0.0}, {g2}, {g1,g2};
| mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {g0,g1}, {g1}, {g2}, {0,g2};| mov.u32 r0, %clock64;| mov.u32 r0, %gridid;| mov.u32 r0, %pm0_64;| mov.u64 d0, %clock;
| mov.u64 d0, %globaltimer_lo;| mov.u64 d0, %gridid;| cvt.u64.u32 d0, %clock;| cvt.u32.u64 r0, %clock64;| cvt.u32.u64 r0, %clock;| cvt.u16.u32 h0, %clock;| cvt.rn.f32.u32 f0, %clock;
| cvt.rn.f32.u32 f0, %tid.x;| bar.red.red.and.pred p1, 0, p2;| bar.cta.cta.sync 0;| bar.sync.sync 0;| barrier.sync.aligned.aligned 0;| bar.warp.sync.sync r1;| bfe.u64 d0, d2, 256, r4;
| bfe.u32 r0, r2, r1, -1;| bfi.b64 d0, d2, d3, r4, 255;| bfi.b32 r0, r2, r3, 0x1ffffffff, 1;| pmevent.mask 0x10000;| pmevent.mask 0xffff;
| tensormap.cp_fenceproxy.shared::cta.global.tensormap::generic.release.sys.sync.aligned [tab+8], [ps], 128;| cp.async.ca.global.shared [ps], [pg], 16;
| cvt.ftz.rp.bf16.f32 h0, f1;| cvt.rp.bf16.f32 h0, f1;| cvt.rp.ftz.bf16.f32 h0, f1;| cvt.rn.ftz.bf16.f32 h0, f1;| cvt.rz.ftz.bf16.f32 h0, f1;| cvt.rn.bf16.f32 h0, f1;| cvt.rz.bf16.f32 h0, f1;| cvt.rm.bf16.f32 h0, f1;
| cvt.rm.ftz.bf16.f32 h0, f1;| cvt.ftz.rm.f16.f32 h0, f1;| cvt.rp.sat.bf16.f32 h0, f1;| cvt.rp.relu.bf16.f32 h0, f1;| cvt.rn.sat.bf16.f32 h0, f1;| cvt.rn.satfinite.bf16.f32 h0, f1;| cvt.rs.f16x2.f32 r0, f1, f2, r1;
| cvt.rs.f16x2.f32 d0, f1, f2, r1;| cvt.rs.bf16x2.f32 d0, f1, f2, r1;| cvt.rs.f16x2.f32 h0, f1, f2, r1;| cvt.rs.f16x2.f32 f0, f1, f2, r1;| cvt.rs.f16x2.f32 g0, f1, f2, r1;| cvt.rs.f16x2.f32 pg, f1, f2, r1;
| cvt.rs.f16x2.f32 q0, f1, f2, r1;| cvt.rs.e4m3x4.f32 d0, {f1,f2,f3,f4}, r1;| cvt.rs.e2m1x4.f32 d0, {f1,f2,f3,f4}, r1;| cvt.rs.e2m1x4.f32 r0, {f1,f2,f3,f4}, r1;| cvt.rs.f16x2.f32 r0, d1, f2, r1;| cvt.rs.f16x2.f32 r0, r1, f2, r1;
| cvt.rs.f16x2.f32 r0, f1, f2, d1;| cvt.rs.f16x2.f32 r0, f1, f2, h1;| cvt.rn.f16x2.f32 d0, f1, f2;| cvt.rn.bf16x2.f32 r0, f2, d1;| cvt.rn.bf16x2.f32 r0, d1, f2;| cvt.rn.bf16x2.f32 r0, f1, h1;| cvt.rn.bf16x2.f32 r0, f1, r1;
| cvt.rn.f16x2.f32 r0, f2, d1;| cvt.rn.f16x2.f32 r0, f2, r1;| cvt.rn.f32.s32 f1, d1;| cvt.rn.f16x2.f32 d0, f2, f1;| cvt.rn.bf16x2.f32 d0, f2, f1;| cvt.rn.satfinite.e4m3x2.f32 h0, f2, d1;| cvt.rn.satfinite.e4m3x2.f32 r0, f2, f1;
| cvt.rz.bf16x2.f32 r0, d1, f1;| cvt.rz.relu.bf16x2.f32 r0, d1, f1;| cvt.rn.bf16x2.f32 r0, q1, f1;| cvt.rn.f16x2.f32 r0, q1, f1;| cvt.rs.bf16x2.f32 r0, d1, f2, r1;| cvt.rs.bf16x2.f32 r0, f1, d1, r1;| cvt.rs.f16x2.f32 r0, f1, d1, r1;
| cvt.rs.f16x2.f32 r0, q1, f1, r1;| cvt.rs.bf16x2.f32 q0, f1, f2, r1;| cvt.rs.satfinite.e4m3x4.f32 d0, {f1,f2,f3,f4}, r1;| cvt.rs.satfinite.e4m3x4.f32 q0, {f1,f2,f3,f4}, r1;| cvt.rs.satfinite.e2m1x4.f32 r0, {f1,f2,f3,f4}, r1;
| cvt.rs.satfinite.e4m3x4.f32 r0, {d1,f2,f3,f4}, r1;| cvt.rn.f16x2.f32 r0, c1, f1;| cvt.rn.ftz.bf16x2.f32 r0, d1, f1;| cvt.rna.tf32.f32 r0, d1;| cvt.rna.tf32.f32 d0, f1;| cvt.rn.bf16.f32 h0, d1;| cvt.rn.bf16.f32 r0, f1;
| cvt.rn.bf16.f32 d0, f1;| cvt.rn.bf16.s32 r0, r1;| cvt.rn.bf16.s32 h0, d1;| cvt.rn.bf16.u16 r0, h1;| cvt.rn.bf16.f64 r0, g1;| cvt.rn.bf16.f16 r0, h1;| cvt.rn.bf16.f16 h0, r1;| cvt.f32.bf16 f0, r1;| cvt.f32.bf16 d0, h1;
| cvt.rzi.s32.bf16 d0, h1;| cvt.rzi.s32.bf16 r0, r1;| cvt.rni.bf16.bf16 r0, h1;| cvt.rn.f16.f32 r0, f1;| cvt.rn.f16.f32 h0, d1;| cvt.rp.bf16.f32 r0, f1;| cvt.rp.bf16.f32 h0, d1;| cvt.rn.relu.bf16.f32 h0, d1;
| cvt.rn.relu.f16.f32 h0, d1;| cvt.rn.satfinite.bf16.f32 h0, d1;| cvt.rn.sat.bf16.f32 h0, d1;| cvt.rn.ftz.bf16.f32 h0, d1;| cvt.rn.ftz.bf16.f32 r0, f1;| cvt.rm.ftz.bf16.f32 h0, d1;| cvt.rn.relu.f16x2.f32 r0, d1, f2;
| cvt.rs.relu.f16x2.f32 r0, d1, f2, r1;| cvt.rs.relu.satfinite.f16x2.f32 d0, d1, f2, r1;| cvt.rs.f16x2.f32 d0, d1, f2, r1;| cvt.rs.f16x2.f32 r0, g1, f2, r1;| cvt.rn.f32.bf16 f0, h2;| cvt.rz.f32.bf16 f0, h2;| cvt.f32.bf16 f0, h2;
| cvt.ftz.f32.bf16 f0, h2;| cvt.rn.ftz.f32.bf16 f0, h2;| cvt.rz.ftz.f32.bf16 f0, h2;| cvt.sat.f32.bf16 f0, h2;| cvt.ftz.sat.f32.bf16 f0, h2;| set.nan.f16.bf16 h0, h2, h3;| set.lt.f16.bf16 h0, h2, h3;| set.lt.bf16.bf16 h0, h2, h3;
| set.lt.bf16.f16 h0, h2, h3;| set.lt.f32.bf16 f0, h2, h3;| set.lt.u16.bf16 h0, h2, h3;| set.lt.f16.f16 h0, h2, h3;| set.lt.f16.f32 h0, f2, f3;| set.lt.bf16.f32 h0, f2, f3;| set.lt.f16.s32 h0, r2, r3;| set.nan.bf16.bf16 h0, h2, h3;
| set.nan.f16.f16 h0, h2, h3;| set.lt.and.f16.bf16 h0, h2, h3, p1;| set.lt.ftz.f16.bf16 h0, h2, h3;| istypep.texref p0, 1.5;| istypep.texref p0, 5;| istypep.texref p0, tab;| istypep.texref p0, r1;| istypep.texref p0, g1;
| istypep.texref p0, pg;| istypep.texref p0, plus;| istypep.texref p0|_, d1;| istypep.texref p0|p1, d1;| mul.bf16x2 r0, {r1,r2}, r2;| mul.bf16x2 r0, r2, y;| mul.bf16 h0, h2, y;| mul.bf16 h0, y, h2;| add.bf16 h0, h2, y;
| fma.rn.bf16 h0, h2, h3, y;| fma.rn.bf16x2 r0, r2, r3, {r1,r2};| fma.rn.bf16x2 r0, r2, {r1,r2}, r3;| shl.b32 r0, plus, r1;| shl.b32 r0, r1, plus;| shl.b64 d0, plus, r1;| shl.b64 d0, d1, plus;| shr.b32 r0, plus, r1;
| shr.b64 d0, plus, r1;| shr.u32 r0, r1, plus;| szext.wrap.u32 r0, plus, r1;| szext.clamp.s32 r0, r1, plus;| vset.gt.u32.s32 r0, plus, r3, r1;| vset.gt.u32.s32 r0, r1, plus, r1;| vadd.u32.u32.u32 r0, plus, r1, r2;
| vadd.u32.u32.u32 r0, r1, plus, r2;| vadd.u32.u32.u32.add r0, r1, r2, plus;| vshl.u32.u32.u32.clamp r0, r1, plus, r2;| vset2.u32.u32.eq r0, r1, r2, plus;| vset4.u32.u32.eq r0, r1, r2, plus;| vmad.u32.u32.u32 r0, r1, r2, plus;
| div.u32 r0, plus, r1;| div.f32 f0, plus, f1;| div.approx.f32 f0, plus, f1;| rem.u32 r0, r1, plus;| div.rn.f64 g0, plus, g1;| add.f16 h0, plus, h1;| add.f16x2 r0, plus, r1;| add.bf16 h0, plus, h1;| fma.rn.f16 h0, plus, h1, h2;
| fma.rn.bf16 h0, plus, h1, h2;| max.bf16 h0, plus, h1;| set.lt.u32.f16 r0, plus, h1;| set.lt.u32.bf16 r0, plus, h1;| setp.lt.bf16 p0, plus, h1;| setp.lt.f16 p0, plus, h1;| ex2.approx.ftz.bf16 h0, plus;| ex2.approx.f16 h0, plus;
| neg.bf16 h0, plus;| abs.bf16 h0, plus;| neg.f16 h0, plus;| tanh.approx.bf16 h0, plus;| dp4a.u32.u32 r0, plus, r1, r2;| dp4a.u32.u32 r0, r1, r2, plus;| lop3.b32 r0, plus, r1, r2, 1;| prmt.b32 r0, plus, r1, r2;
| prmt.b32 r0, r1, r1, plus;| brev.b32 r0, plus;| bfind.u32 r0, plus;| fns.b32 r0, plus, r1, r2;| rcp.rn.f32 f0, plus;| sqrt.rn.f64 g0, plus;| rcp.rz.f64 g0, plus;| mul24.lo.u32 r0, plus, r1;| sad.u32 r0, plus, r1, r2;
| mul.lo.u64 d0, plus, d1;| atom.global.add.u64 d0, [pg], plus;| atom.global.cas.b64 d0, [pg], plus, d1;| atom.global.exch.b128 q0, [pg], plus;| div.rp.f32 f0, f2, w.x;| div.rn.f32 f0, w.x, f2;| div.full.f32 f0, w.x, f2;
| add.f32 f0, w.x, f2;| sqrt.rn.f32 f0, w.x;| rcp.rn.f32 f0, w.x;| rcp.rn.f64 g0, d1+8;| rcp.rz.f64 g0, d1+8;| sqrt.rn.f64 g0, d1+8;| add.f64 g0, g1, d1+8;| div.rn.f64 g0, g1, d1+8;| div.s64 d0, d1+8, d3;| rem.s64 d0, d1+8, d3;
| div.s32 r0, d1+8, r3;| rsqrt.approx.f64 g0, d1+8;| max.s16x2 f1, r2, r3;| max.u16x2 r1, f2, r3;| add.s16x2 f1, r2, r3;| add.u16x2 r1, f2, r3;| min.s16x2 f1, r2, r3;| mov.v2.u16 {h0, h1}, w;| mov.pred p0, loc[1];| mov.pred p0, tab;
| mov.pred p0, 1;| mov.u32 r0, tab+4;| mov.u32 r0, sh;| mov.u64 d0, tab;| mov.b32 r0, con;| cvt.rn.f16x2.e4m3x2 r0, h1+1;| cvt.rn.f16x2.e4m3x2 r0, r1+1;| cvt.rn.f16x2.e5m2x2 r0, d1+8;| div.u16 h0, plus, h2;| div.u16 h0, h2, plus;
| div.u16 h0, tab+4, h2;| div.u16 h0, h2, tab+4;| div.u16 h0, y, h2;| div.u16 h0, h2, y;| div.u16 h0, h1+1, h2;| div.u16 h0, h2, h1+1;| div.s16 h0, plus, h2;| div.s16 h0, h2, plus;| div.s16 h0, tab+4, h2;| div.s16 h0, h2, tab+4;
| div.s16 h0, y, h2;| div.s16 h0, h2, y;| div.s16 h0, h1+1, h2;| div.s16 h0, h2, h1+1;| div.u32 r0, plus, r2;| div.u32 r0, r2, plus;| div.u32 r0, tab+4, r2;| div.u32 r0, r2, tab+4;| div.u32 r0, w.x, r2;| div.u32 r0, r2, w.x;
| div.u32 r0, r1+1, r2;| div.u32 r0, r2, r1+1;| div.s32 r0, plus, r2;| div.s32 r0, r2, plus;| div.s32 r0, tab+4, r2;| div.s32 r0, r2, tab+4;| div.s32 r0, w.x, r2;| div.s32 r0, r2, w.x;| div.s32 r0, r1+1, r2;| div.s32 r0, r2, r1+1;
| div.u64 d0, plus, d2;| div.u64 d0, d2, plus;| div.u64 d0, tab+4, d2;| div.u64 d0, d2, tab+4;| div.u64 d0, y, d2;| div.u64 d0, d2, y;| div.u64 d0, d1+8, d2;| div.u64 d0, d2, d1+8;| div.s64 d0, plus, d2;| div.s64 d0, d2, plus;
| div.s64 d0, tab+4, d2;| div.s64 d0, d2, tab+4;| div.s64 d0, y, d2;| div.s64 d0, d2, y;| div.s64 d0, d1+8, d2;| div.s64 d0, d2, d1+8;| rem.u16 h0, plus, h2;| rem.u16 h0, h2, plus;| rem.u16 h0, tab+4, h2;| rem.u16 h0, h2, tab+4;
| rem.u16 h0, y, h2;| rem.u16 h0, h2, y;| rem.u16 h0, h1+1, h2;| rem.u16 h0, h2, h1+1;| rem.s16 h0, plus, h2;| rem.s16 h0, h2, plus;| rem.s16 h0, tab+4, h2;| rem.s16 h0, h2, tab+4;| rem.s16 h0, y, h2;| rem.s16 h0, h2, y;
| rem.s16 h0, h1+1, h2;| rem.s16 h0, h2, h1+1;| rem.u32 r0, plus, r2;| rem.u32 r0, r2, plus;| rem.u32 r0, tab+4, r2;| rem.u32 r0, r2, tab+4;| rem.u32 r0, w.x, r2;| rem.u32 r0, r2, w.x;| rem.u32 r0, r1+1, r2;| rem.u32 r0, r2, r1+1;
| rem.s32 r0, plus, r2;| rem.s32 r0, r2, plus;| rem.s32 r0, tab+4, r2;| rem.s32 r0, r2, tab+4;| rem.s32 r0, w.x, r2;| rem.s32 r0, r2, w.x;| rem.s32 r0, r1+1, r2;| rem.s32 r0, r2, r1+1;| rem.u64 d0, plus, d2;| rem.u64 d0, d2, plus;
| rem.u64 d0, tab+4, d2;| rem.u64 d0, d2, tab+4;| rem.u64 d0, y, d2;| rem.u64 d0, d2, y;| rem.u64 d0, d1+8, d2;| rem.u64 d0, d2, d1+8;| rem.s64 d0, plus, d2;| rem.s64 d0, d2, plus;| rem.s64 d0, tab+4, d2;| rem.s64 d0, d2, tab+4;
| rem.s64 d0, y, d2;| rem.s64 d0, d2, y;| rem.s64 d0, d1+8, d2;| rem.s64 d0, d2, d1+8;| div.rn.f32 f0, plus, f2;| div.rn.f32 f0, f2, plus;| div.rn.f32 f0, tab+4, f2;| div.rn.f32 f0, f2, tab+4;| div.rn.f32 f0, f2, w.x;
| div.rn.f32 f0, r1+1, f2;| div.rn.f32 f0, f2, r1+1;| div.rz.f32 f0, plus, f2;| div.rz.f32 f0, f2, plus;| div.rz.f32 f0, tab+4, f2;| div.rz.f32 f0, f2, tab+4;| div.rz.f32 f0, w.x, f2;| div.rz.f32 f0, f2, w.x;
| div.rz.f32 f0, r1+1, f2;| div.rz.f32 f0, f2, r1+1;| div.rp.f32 f0, plus, f2;| div.rp.f32 f0, f2, plus;| div.rp.f32 f0, tab+4, f2;| div.rp.f32 f0, f2, tab+4;| div.rp.f32 f0, w.x, f2;| div.rp.f32 f0, r1+1, f2;
| div.rp.f32 f0, f2, r1+1;| div.approx.f32 f0, plus, f2;| div.approx.f32 f0, f2, plus;| div.approx.f32 f0, tab+4, f2;| div.approx.f32 f0, f2, tab+4;| div.approx.f32 f0, w.x, f2;| div.approx.f32 f0, f2, w.x;
| div.approx.f32 f0, r1+1, f2;| div.approx.f32 f0, f2, r1+1;| div.full.f32 f0, plus, f2;| div.full.f32 f0, f2, plus;| div.full.f32 f0, tab+4, f2;| div.full.f32 f0, f2, tab+4;| div.full.f32 f0, f2, w.x;| div.full.f32 f0, r1+1, f2;
| div.full.f32 f0, f2, r1+1;| div.rn.f64 g0, plus, g2;| div.rn.f64 g0, g2, plus;| div.rn.f64 g0, tab+4, g2;| div.rn.f64 g0, g2, tab+4;| div.rn.f64 g0, y, g2;| div.rn.f64 g0, g2, y;| div.rn.f64 g0, d1+8, g2;| div.rn.f64 g0, g2, d1+8;
| div.rz.f64 g0, plus, g2;| div.rz.f64 g0, g2, plus;| div.rz.f64 g0, tab+4, g2;| div.rz.f64 g0, g2, tab+4;| div.rz.f64 g0, y, g2;| div.rz.f64 g0, g2, y;| div.rz.f64 g0, d1+8, g2;| div.rz.f64 g0, g2, d1+8;| div.rp.f64 g0, plus, g2;
| div.rp.f64 g0, g2, plus;| div.rp.f64 g0, tab+4, g2;| div.rp.f64 g0, g2, tab+4;| div.rp.f64 g0, y, g2;| div.rp.f64 g0, g2, y;| div.rp.f64 g0, d1+8, g2;| div.rp.f64 g0, g2, d1+8;| rcp.rn.f32 f0, tab+4;| rcp.rn.f32 f0, r1+1;
| rcp.rz.f32 f0, plus;| rcp.rz.f32 f0, tab+4;| rcp.rz.f32 f0, w.x;| rcp.rz.f32 f0, r1+1;| rcp.rp.f32 f0, plus;| rcp.rp.f32 f0, tab+4;| rcp.rp.f32 f0, w.x;| rcp.rp.f32 f0, r1+1;| rcp.approx.f32 f0, plus;| rcp.approx.f32 f0, tab+4;
| rcp.approx.f32 f0, w.x;| rcp.approx.f32 f0, r1+1;| sqrt.rn.f32 f0, plus;| sqrt.rn.f32 f0, tab+4;| sqrt.rn.f32 f0, r1+1;| sqrt.rz.f32 f0, plus;| sqrt.rz.f32 f0, tab+4;| sqrt.rz.f32 f0, w.x;| sqrt.rz.f32 f0, r1+1;
| sqrt.rp.f32 f0, plus;| sqrt.rp.f32 f0, tab+4;| sqrt.rp.f32 f0, w.x;| sqrt.rp.f32 f0, r1+1;| sqrt.approx.f32 f0, plus;| sqrt.approx.f32 f0, tab+4;| sqrt.approx.f32 f0, w.x;| sqrt.approx.f32 f0, r1+1;| rcp.rn.f64 g0, plus;
| rcp.rn.f64 g0, tab+4;| rcp.rn.f64 g0, y;| rcp.rz.f64 g0, tab+4;| rcp.rz.f64 g0, y;| rcp.rp.f64 g0, plus;| rcp.rp.f64 g0, tab+4;| rcp.rp.f64 g0, y;| rcp.rp.f64 g0, d1+8;| sqrt.rn.f64 g0, tab+4;| sqrt.rn.f64 g0, y;
| sqrt.rz.f64 g0, plus;| sqrt.rz.f64 g0, tab+4;| sqrt.rz.f64 g0, y;| sqrt.rz.f64 g0, d1+8;| sqrt.rp.f64 g0, plus;| sqrt.rp.f64 g0, tab+4;| sqrt.rp.f64 g0, y;| sqrt.rp.f64 g0, d1+8;| rcp.approx.ftz.f64 g0, plus;
| rcp.approx.ftz.f64 g0, tab+4;| rcp.approx.ftz.f64 g0, y;| rcp.approx.ftz.f64 g0, d1+8;| rsqrt.approx.f64 g0, plus;| rsqrt.approx.f64 g0, tab+4;| rsqrt.approx.f64 g0, y;| rsqrt.approx.f32 f0, plus;| rsqrt.approx.f32 f0, tab+4;
| rsqrt.approx.f32 f0, w.x;| rsqrt.approx.f32 f0, r1+1;| mbarrier.try_wait.shared::cta.parity.b64 p0, [ps], r3, r4;| mbarrier.try_wait.parity.shared::cta.b64 p0, [ps], r3, r4;| mbarrier.try_wait.shared::cta.parity.b64 p0, [ps], r3;
| mbarrier.test_wait.shared::cta.parity.b64 p0, [ps], r3;| mbarrier.test_wait.shared.parity.b64 p0, [ps], r3;| mbarrier.try_wait.acquire.cta.shared::cta.parity.b64 p0, [ps], r3;
| mbarrier.try_wait.acquire.parity.cta.shared::cta.b64 p0, [ps], r3;| mbarrier.try_wait.acquire.shared::cta.cta.parity.b64 p0, [ps], r3;| mbarrier.parity.try_wait.shared::cta.b64 p0, [ps], r3;| cvt.rs.f16x2.f32 r0, f1, f2, pg;
| cvt.rs.f16x2.f32 r0, f1, f2, q1;| cvt.rs.bf16x2.f32 r0, f1, f2, d1;| cvt.rs.satfinite.e4m3x4.f32 r0, {f1,f2,f3,f4}, d1;| cvt.rs.f16x2.f32 r0, f1, f2, f3;| cvt.rs.f16x2.f32 r0, pg, f2, r1;| mov.b32 {r0,r1}, r2;
| mov.b32 {h0,h1}, r2;| mov.b64 {h0,h1}, d2;| mov.b64 d2, {h0,h1};| mov.b64 d2, {h0,h1,h2,h3};| mov.b64 d2, {c0,c1,c2,c0,c1,c2,c0,c1};| mov.b32 r2, {c0,c1,c2,c0};| mov.b16 h2, {c0,c1};| mov.b64 d2, {d0,d1};| mov.b64 d2, {r0,1};
| mov.b64 d2, {f0,f1};| mov.b64 d2, {g0,g1};| mov.b128 q0, {d0,d1};| mov.b128 q0, {r0,r1};| mov.b128 q0, {r0,r1,r2,r3};| mov.b128 {d0,d1}, q0;| mov.b64 {d0,d1}, d2;| mov.b64 {r0,d1}, d2;| mov.b64 {r0,_}, d2;| mov.b64 {_,f1}, d2;
| mov.v2.u16 {h0,h1}, w;| mov.v2.u16 {h0,h1}, y;| mov.v2.u32 {h0,h1}, y;| mov.v2.b32 {r0,r1}, y;| mov.v2.b32 {d0,d1}, w;| mov.v2.b16 {r0,r1}, y;| mov.v2.u16 {h0,h1}, {r1,r2};| mov.v4.u16 {h0,h1,h2,h3}, {h1,h2,r2,r3};
| createpolicy.fractional.L2::evict_first.L2::evict_first.b64 d1;| createpolicy.fractional.L2::evict_last.L2::evict_last.b64 d1;| createpolicy.fractional.L2::evict_unchanged.L2::evict_unchanged.b64 d1;
| mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32 {f0,f1,f2,f3,f0,f1,f2,f3}, {r1,r2}, {r1,r2}, {f0,f1,f2,f3,f0,f1,f2,f3};
| mma.sync.aligned.m8n8k4.row.row.row.f32.f16.f16.f32 {f0,f1,f2,f3,f0,f1,f2,f3}, {r1,r2}, {r1,r2}, {f0,f1,f2,f3,f0,f1,f2,f3};| wmma.load.a.sync.sync.aligned.row.m8n8k4.f64 {g0}, [pg];
| wmma.mma.sync.sync.aligned.row.row.m8n8k4.f64.f64.f64.f64 {g0,g1}, {g1}, {g2}, {g1,g2};| exit.exit;| ret.uni.uni;| exit.uni;| trap.uni;| ret.sync;| tanh.approx.approx.f32 f0, f1;| fence.sys.sys;| ld.global.b32.b32 r0, [pg];
| mov.b128 q0, h1+1;| sust.b.1d.trap.b16 [d1,{r1}], WARP_SZ;| sust.p.2d.trap.b32 [d1,{r1,r2}], y;| sust.b.1d.trap.v4.b32 [d1,{r1}], 0f3F800000;| mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {1.5,r2,r3,r4}, {r1,r2}, {f0,f1,f2,f3};
| mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {r1,r2,r3,r4}, {r1,r2}, {1.5,f1,f2,f3};| mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {r0,r1,r2,r3}, {r1,r2}, {0f3F800000}, {r0,r1,r2,r3};
| wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {g0,g1}, {1.5}, {g2}, {g1,g2};| wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {g0,g1}, {g1}, {g2}, {0.0,0.0};
| wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {r0,r1}, {0.0}, {r3}, {0.0,r1};| match.all.sync.b32 _, r1, r2;| match.any.sync.b32 _, r1, r2;| ld.param.b32 r0, [pa];| ld.param::func.b32 r0, [pa];
| cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [pg,{r1,r3}], 1.5;| cvt.pack.sat.u4.s32.b32 r1, r2, r3, g1;
| ld.relaxed.gpu.global.L1::no_allocate.b32 r0, [pg];| ld.acquire.sys.global.L1::no_allocate.L2::128B.b32 r0, [pg];| st.release.sys.global.L1::no_allocate.b32 [pg], r0;| st.relaxed.gpu.global.L1::evict_last.b32 [pg], r0;
| ld.volatile.global.L1::no_allocate.b32 r0, [pg];| st.volatile.global.L1::no_allocate.b32 [pg], r0;| ld.volatile.global.L2::128B.b32 r0, [pg];| ld.relaxed.cta.shared.L1::no_allocate.b32 r0, [ps];| ld.relaxed.gpu.L1::no_allocate.b32 r0, [pn];
| call.L1::evict_last (r3), plus, (r1, 5);| call.up (r3), same, (r3);| createpolicy.fractional.L2::evict_unchanged.rpi.b64 d0, 1.0;| createpolicy.fractional.wrap.b64 d0, 1.0;
| createpolicy.fractional.L2::evict_unchanged.b64.test_wait d0, 1.0;| cvta.local.L2::64B.u64 d0, d2;| cvta.u64.shared.cs d0, d2;| cvta.to.const.wide d0, d2;| fence.release.cluster.sync_restrict::shared::cta.b32;
| fence.release.sync_restrict::shared::cta.cluster.prefetch;| fence.proxy.number.shared::cta;| getctarank.shr7.u64 r1, d2;| getctarank.u64.tile r1, d2;| getctarank.hs r1, (.s64)5;| griddepcontrol.wait.f32;| griddepcontrol.wait.ls;
| griddepcontrol.wait.aligned;| isspacep.shared::cta.m8n8k4 p0, pn;| isspacep.s64.const p0, !0;| isspacep.L1::no_allocate.global p0, pn;| ld.global.L2::evict_normal.cs.u8 r0, [tab];| ld.global.shared.b16 h0, [pg];
| ld.pred.global.u64 d0, [pg];| mapa.alias.shared::cluster.u32 r0, r2, r3;| mapa.p.shared::cluster.u64 d0, d2, r3;| mapa.acquire.u64 d0, d2, r3;| mov.mask.v2.f32 {f0, f1}, {f1, f2};| mov.u16.e5m2.v2 {h0, h1}, {h1, h2};
| mov.v4.x4.b32 {r0, r1, r2, r3}, {r1, r2, r3, r4};| red.v4.L2::256B.noftz.min.global.f16x2 [pg+-16], {r1, r2, r3, r4};| red.relaxed.param.global.or.b64 [pg+-16], d2;| red.v4.u32.global.noftz.add.bf16x2 [tab+8], {r1, r2, r3, r4};
| st.u32.wb.f64 [pg+-16], g1;| st.L2::64B.f64 tab[1], g1;| sured.b.m16n8k8.clamp.2d.min.s64 [d1,{r1,r2}], d2;| sured.b.zero.2d.max.le.u64 [d1,{r1,r2}], d2;| sured.b.add.2d.clamp.u32.im2col [d1,{r1,r2}], r2;
| sust.b.1d.s2.clamp.b8 [d1,{r1}], r1;| sust.b.1d.trap.v4.u64.b32 [d1,{r1}], {r1, r2, r3, r4};| sust.b.2d.b64.trap.local [d1,{r1,r2}], d1;| cvt.ftz.bf16.f32 h0, f1;| cvt.f32.ftz.bf16 f0, h1;| cvt.ftz.f32.bf16 f0, h1;
| cvt.rn.ftz.bf16x2.f32 r0, f1, f2;| cvt.rs.bf16x2.f32 r0, f1, f2, h1;| cvt.rs.satfinite.e2m1x4.f32 h0, {f1,f2,f3,f4}, d1;| cvt.rs.f16x2.f32 r0, r1, r2, f1;| ret.uni;| ret.foo;| brkpt.uni;| trap;| brkpt;| bra.uni L;| bra.sync L;
| call.sync (r0), same, (r1);| ld.global.L1::no_allocate.L2::cache_hint.b32 r0, [pg], d1;| ld.global.L1::no_allocate.L2::128B.b32 r0, [pg];| ld.global.L1::no_allocate.L2::cache_hint.L2::128B.b32 r0, [pg], d1;
| ld.global.L1::evict_last.L2::cache_hint.L2::64B.b32 r0, [pg], d1;| ld.global.L2::64B.L2::evict_last.b32 r0, [pg];| ld.global.L2::evict_last.b32 r0, [pg];| ld.global.L1::evict_last.L2::evict_last.b32 r0, [pg];
| ld.global.L1::evict_last.L1::evict_first.b32 r0, [pg];| ld.global.L1::evict_unchanged.b32 r0, [pg];| ld.global.L1::evict_normal.b32 r0, [pg];| ld.global.L1::evict_foo.b32 r0, [pg];| ld.global.L1::128B.b32 r0, [pg];
| ld.global.L2::32B.b32 r0, [pg];| ld.global.L2::no_allocate.b32 r0, [pg];| st.global.L1::no_allocate.b32 [pg], r1;| st.global.L1::evict_last.b32 [pg], r1;| st.global.L2::128B.b32 [pg], r1;
| st.global.L2::cache_hint.b32 [pg], r1, d1;| ld.shared.L1::no_allocate.b32 r0, [ps];| ld.shared.L2::128B.b32 r0, [ps];| ld.L2::128B.b32 r0, [pn];| ld.global.nc.L1::no_allocate.L2::256B.b32 r0, [pg];
| atom.global.add.L2::cache_hint.u32 r0, [pg], r1, d1;| atom.global.add.L1::no_allocate.u32 r0, [pg], r1;| atom.global.add.ca.u32 r0, [pg], r1;| atom.global.add.nc.u32 r0, [pg], r1;| atom.global.add.weak.u32 r0, [pg], r1;
| atom.global.add.volatile.u32 r0, [pg], r1;| atom.global.add.uni.u32 r0, [pg], r1;| ld.global.uni.u32 r0, [pg];| ld.global.noftz.u32 r0, [pg];| ld.global.unified.u32 r0, [pg];| ld.global.u32.unified r0, [pg];
| ld.unified.u32 r0, [pn];| ld.global.nc.volatile.u32 r0, [pg];| ld.global.mmio.u32 r0, [pg];| ld.mmio.relaxed.sys.global.u32 r0, [pg];| ld.mmio.relaxed.gpu.global.u32 r0, [pg];| st.mmio.relaxed.sys.global.u32 [pg], r0;
| ld.mmio.sys.global.u32 r0, [pg];| ld.relaxed.global.cta.u32 r0, [pg];| cp.async.cg.shared.global.L2::cache_hint [ps], [pg], 16, d1;
| cp.async.cg.shared.global.L1::no_allocate [ps], [pg], 16;| prefetch.global.L2::evict_last [pg];| prefetch.global.L2::evict_normal [pg];
| prefetchu.L2 [pn];| createpolicy.fractional.L2::evict_last.b64 d1, f1;| createpolicy.fractional.L2::evict_last.b64 d1, 0.5;| createpolicy.fractional.L2::evict_last.foo.b64 d1, 0.5;
| createpolicy.L2::evict_last.fractional.b64 d1, 0.5;| createpolicy.range.L2::evict_last.b64 d1, [pg], r1, r2;| createpolicy.range.global.L2::evict_last.b64 d1, [pg], r1, r2;
| createpolicy.range.L2::evict_last.L2::evict_first.b64 d1, [pg], r1, r2;| createpolicy.range.shared.L2::evict_last.b64 d1, [pg], r1, r2;
| createpolicy.cvt.L2.b64 d1, d2;| createpolicy.fractional.L2::evict_last.u64 d1, 0.5;| createpolicy.fractional.L2::evict_last.b32 r1, 0.5;
| createpolicy.fractional.L2::evict_normal.L2::evict_unchanged.b64 d1, 0.5;| createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 d1, 0.5;
| createpolicy.fractional.L2::evict_unchanged.L2::evict_first.b64 d1, 0.5;| abs.texref.f32 f0, f2;| bar.sync.finite 1;
| ld.global.L2::evict_last.v8.b32 {r0,r1,r2,r3,r4,r5,r6,r0}, [pg];| ld.L1::no_allocate.L2::evict_first.L2::cache_hint.L2::256B.v4.b64 {d0,d1,d2,d3}, [pn], d1;| ld.global.L2::evict_unchanged.v4.b64 {d0,d1,d2,d3}, [pg];
| ld.global.L2::evict_last.v4.b32 {r0,r1,r2,r3}, [pg];| st.relaxed.gpu.global.L1::evict_last.L2::evict_normal.v4.b64 [pg], {d0,d1,d2,d3};| st.global.L2::evict_first.b32 [pg], r0;| ld.shared.L2::cache_hint.u32 r0, [ps], d1;
| mov.v2.b32 {r0, r1}, r2;| mov.v2.b16 {h0, h1}, h2;| mov.v2.b64 {d0, d1}, d2;| mov.v2.b64 {d0, d1}, -1;| mov.v4.u32 {r0, r1, r2, r3}, 1<2;| mov.v4.b32 {r0, r1, r2, r3}, f2;| mov.v2.u32 {r0, r1}, %clock64;| mov.v2.u16 {h0, h1}, %tid.x;
| mov.v2.u32 {r0, r1}, sh;| mov.v2.b32 {r0, r1}, d2;| mov.v2.u32 {r0, r1}, h2;| mov.v2.f32 {f0, f1}, f2;| mov.v4.b16 {h0, h1, h2, h3}, h1;
| cvt.pack.sat.s8.s32.b32 r0, d1, r3, r4;| cvt.pack.sat.s8.s32.b32 r0, r2, r3, g1;| cvt.pack.sat.s8.s32.b32 r0, r2, r3, f1;| cvt.pack.sat.s16.s32 r0, r2, pg;| cvt.pack.sat.s16.s32 r0, r2, g1;| cvt.pack.sat.s16.s32 r0, r2, h1;
| cvt.pack.sat.s16.s32 pg, r2, r3;| cvt.pack.sat.s16.s32 r0, r2, q1;| fma.rz.relu.bf16x2 r0, r2, r3, r4;| fma.rp.oob.bf16x2 r0, r2, r3, r4;| fma.rm.bf16x2 r0, r2, r3, r4;| fma.rz.sat.bf16x2 r0, r2, r3, r4;| fma.rp.bf16 h0, h2, h3, h4;
| mad.rz.bf16x2 r0, r2, r3, r4;| add.rz.bf16x2 r0, r2, r3;| fma.rm.f16x2 r0, r2, r3, r4;| neg.f32 f0, d1+8;| fma.rn.f32 f0, d1+8, f2, f3;| tanh.approx.f32 f0, d1+8;| mapa.shared::cluster.u32 r0, d1+8, r2;
| mapa.shared::cluster.u32 r0, r1, d1+8;| getctarank.shared::cluster.u32 r0, d1+8;| mov.b128 {d0}, q1;
| cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [ps], [pg+16], r3, 1;| cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [ps], [pg+16], r3, d1;
| cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [ps], [pg+16], r3, r1;| cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [ps], [pg+16], r3, h1;| cp.async.bulk.global.shared::cta.bulk_group [pg], d1, r3;
| cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [ps], [pg+16], r3, g1;| cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [pg,{r0,r1}], 1;| cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [pg,{r0,r1}], 1.5;
| cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [pg,{r0,r1}], f1;| cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [pg,{r0,r3}], r1+4;| cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [pg,{r0,r3}], tab+4;
| cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes g1, [pg,{r0,r0}], sh[4];| cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [ps], [pg,{r0,r0}], 0f3F800000;"""

PARTS = {"lo", "hi", "wide", "l", "r", "full"}  # of the opcode's name: they keep their place


def size(kind):
    return 16 * 2 ** "x2".count(kind[-2:]) if kind[0] in "efbus" and kind.endswith("x2") else {"tf32": 32, "pred": 1, "none": 32}.get(kind) or int(re.sub(r"\D", "", kind))


def register(kind, number):
    if kind == "pred":
        return f"p{number}"
    if kind in ("f32", "f64"):
        return f"{'f' if kind == 'f32' else 'g'}{number}"
    if kind == "e2m1x2":
        return f"c{number % 3}"
    bits = 16 if kind.startswith(("e", "ue")) else size(kind)
    return {8: "r", 16: "h", 32: "r", 64: "d", 128: "q"}.get(bits, "r") + str(number % 3 if bits == 128 else number)


# Every form of an operand, whatever fits.
FORMS = ["r1", "h1", "d1", "f1", "g1", "p1", "!p1", "-r1", "1", "-1", "1.5", "0f3F800000", "0d3FF8000000000000", "WARP_SZ", "0x1ffffffff", "r1+1", "d1+8", "h1+1", "tab", "tab+4",
         "tab[1]", "sh[2]", "loc[1]", "con", "%tid.x", "%tid", "%laneid", "%clock", "%clock64", "_", "[pg]", "[tab+4]", "{r1,r2}", "w", "w.x", "y", "L", "plus", "pa", "p1|p2",
         "1?2:3", "(.s64)5", "!0", "1<2", "nothing", "r1[1]", "%pm0", "%envreg3", "[pg-4]", "pg", "pa[1]"]


def operand(mark, first, second, length, rng, number):
    kind = {"D": first, "S": first, "E": second, "T": second, "p": "pred", "b": "b32"}.get(mark)
    if mark == "W":
        kind = first[0] + str(2 * size(first))
    if kind:
        if kind == "pred" and mark == "p":
            return rng.choice(["p1", "!p2", "p3", "p3"])
        return register(kind, 0 if mark in "DW" and number == 0 else number + 1)
    if mark[0] in "xyz" and mark[1:].isdigit():
        parts = (MASKS if mark[0] == "x" else SELECTORS)[mark[1]].split()
        chosen = "." + rng.choice(parts) if parts and rng.random() < 0.4 else ""
        return rng.choice(["-", ""] if mark[0] == "z" and rng.random() < 0.5 else [""]) + f"r{number and number + 1}" + chosen
    if mark == "P":
        return rng.choice(["p0", "p0", "p0|p4", "p0|_", "_|p0", "_"])
    if mark in "vV":
        names = [register(first, (0 if mark == "V" else 1) + k) for k in range(length)]
        return names[0] if length == 1 else "{" + ", ".join(names) + "}"
    if mark == "i":
        return rng.choice(["0", "1", "5", "0x96", "1.0"])
    if mark == "g":
        return rng.choice(["[pg]", "[pg]", "[pg+16]", "[pg+-16]", "[tab]", "[tab+8]", "tab[4]"])
    if mark == "s":
        return rng.choice(["[ps]", "[ps]", "[ps+16]", "[sh]", "[sh+8]", "sh[4]", "[loc+8]", "con[4]", "[pa]"])
    if mark == "n":
        return rng.choice(["[pn]", "[pn+16]", "[tab]", "[sh]", "tab[4]"])
    if mark == "l":
        return "L"
    return re.sub(r"\bb\b", lambda _: f"r{rng.randrange(4)}", mark)


def draw(line, rng):
    opcodes, groups, types, operands = (part.strip() for part in line.split("|", 3))
    opcode = rng.choice(opcodes.split())
    words, parts = [], []
    for group in filter(None, groups.split(";")):
        always, choices = group.startswith("!"), group.lstrip("!").split()
        if always or rng.random() < 0.25:
            word = rng.choice(choices)
            (parts if word in PARTS else words).append(word)
    length = max([int(word[1]) for word in words if word in ("v2", "v4")], default=1)
    chosen = [] if types == "none" else [rng.choice(group.split()) for group in types.split(";")]
    if opcode != "cp.async" and rng.random() < 0.4:
        rng.shuffle(words)
    where = sorted(rng.randrange(len(words) + 1) if rng.random() < 0.15 else len(words) for _ in chosen)
    for place, kind in zip(reversed(where), reversed(chosen)):
        words.insert(place, kind)
    first, second = (chosen + ["b32", "b32"])[:2] if len(chosen) != 1 else (chosen[0], chosen[0])
    made = [operand(mark, first, second, length, rng, k) for k, mark in enumerate(re.findall(r"\(.*?\)|\[.*?\]|\{.*?\}|[^\s,]+", operands))]
    if made and opcode != "call" and rng.random() < 0.25:
        made[rng.randrange(len(made))] = rng.choice(FORMS)
    if made and rng.random() < 0.02:
        made.pop()
    return ".".join([opcode, *parts, *words]) + (" " + ", ".join(made) if made else "") + ";"


def verdicts(statements, target):
    """Whether `ptxas` takes each."""
    taken = {}
    todo = list(range(len(statements)))
    while todo:
        text = f".version {VERSION}\n.target {target}\n.address_size 64\n{MODULE}\n"
        text += "".join(f".entry k{k}() {{ {BODY}\n{statements[k]}\nL: ret; }}\n" for k in todo)
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write(text)
            file.flush()
            run = subprocess.run(["prlimit", "--cpu=1", "ptxas", "-O0", f"-arch={target}", "-o", "/dev/null", file.name], capture_output=True, text=True, check=False)
        if run.returncode == 0:
            break
        said = run.stdout + run.stderr
        lines = {int(line) for line in re.findall(rf"{file.name}, line (\d+); (?:error|fatal)", said)}
        if "32-Bit ABI" in said:
            lines |= {int(line) for line in re.findall(r"32-bit address on line '(\d+)'", said)}
        refused = {todo[(line - 5) // 3] for line in lines if line >= 5}
        if not refused and len(todo) > 1:  # it ended without a line, or not (a predicate for the barrier of a box): which one was it?
            half = len(todo) // 2
            for part in (todo[:half], todo[half:]):
                taken.update(zip(part, verdicts([statements[k] for k in part], target)))
            return [taken[k] for k in range(len(statements))]
        refused = refused or set(todo)
        taken.update(dict.fromkeys(refused, False))
        todo = [k for k in todo if k not in refused]
    taken.update(dict.fromkeys(todo, True))
    return [taken[k] for k in range(len(statements))]


def doubled(statement, rng):
    """The same with one of its modifiers twice."""
    opcode, operands = re.fullmatch(r"([^ ;]*)(.*)", statement).groups()
    words = opcode.split(".")
    words.insert(rng.randrange(1, len(words) + 1), rng.choice(words[1:] or [""]))
    return ".".join(words) + operands


def judged(statements):
    """The number of each."""
    masks = dict.fromkeys(sorted(statements), 0)
    asked = list(masks)
    for bit, target in reversed(list(enumerate(TARGETS))):
        for part in (asked[start : start + 100] for start in range(0, len(asked), 100)):
            for statement, taken in zip(part, verdicts(part, target)):
                masks[statement] |= taken << bit
    return masks


def main():
    rng = random.Random(int(os.environ.get("LAB_SEED", "62")))
    lines = [line for line in GRAMMAR.strip().splitlines() if line.strip()]
    masks = judged({draw(line, rng) for line in lines for _ in range(DRAWS)} | set(KEPT.replace("\n", "").split("| ")))
    taken = [statement for statement, mask in masks.items() if mask]
    masks |= judged({doubled(statement, rng) for statement in rng.sample(taken, len(taken) // 8)} - set(masks))
    text = f"{MODULE}\n{BODY}\n" + "".join(f"{mask:02x} {statement}\n" for statement, mask in sorted(masks.items()))
    with open(sys.argv[1] + "/statements.txt.gz", "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
        packed.write(text.encode())
    print(len(masks), "statements;", [sum(mask >> bit & 1 for mask in masks.values()) for bit in range(len(TARGETS))], "taken")


if __name__ == "__main__":
    main()
