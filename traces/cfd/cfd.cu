// Flow of a compressible gas without friction around a body: the Euler
// equations on an unstructured grid of cells with four faces each, by finite
// volumes and three Runge-Kutta steps (Corrigan, Camelli, Loehner and Wallin,
// "Running unstructured grid-based CFD solvers on modern graphics hardware",
// AIAA 2009).
#define THREADS 192
#define FACES 4
#define GAMMA 1.4f
#define SMOOTHING 0.2f // coefficient of the artificial viscosity

// What is conserved: arrays of a variable follow each other.
#define DENSITY 0
#define MOMENTUM 1 // x, y and z
#define ENERGY 4
#define VARIABLES 5

// Neighbours that are no cells.
#define WING (-1)
#define FAR (-2)

struct float3 { float x, y, z; };

// The state of the gas far from the body, and its flux: of the momentum's
// components in 0 ... 2, of the energy in 3.
__constant__ float farField[VARIABLES];
__constant__ float farFlux[4][3];

struct State {
  float density, energy;
  float3 momentum, velocity;
  float pressure, speed, sound; // sound: the speed of sound

  __device__ __forceinline__ State(const float *variables, int cells, int cell) {
    density = variables[DENSITY * cells + cell];
    momentum.x = variables[MOMENTUM * cells + cell];
    momentum.y = variables[(MOMENTUM + 1) * cells + cell];
    momentum.z = variables[(MOMENTUM + 2) * cells + cell];
    energy = variables[ENERGY * cells + cell];
    velocity = {momentum.x / density, momentum.y / density, momentum.z / density};
    float square = velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z;
    speed = sqrtf(square);
    pressure = (GAMMA - 1.0f) * (energy - 0.5f * density * square);
    sound = sqrtf(GAMMA * pressure / density);
  }
};

// The flux of a state: row 0 ... 2 of the momentum's components, 3 of energy.
struct Flux {
  float3 row[4];

  __device__ __forceinline__ explicit Flux(const State &s) {
    const float3 &m = s.momentum, &v = s.velocity;
    row[0] = {m.x * v.x + s.pressure, m.x * v.y, m.x * v.z};
    row[1] = {m.x * v.y, m.y * v.y + s.pressure, m.y * v.z};
    row[2] = {m.x * v.z, m.y * v.z, m.z * v.z + s.pressure};
    float enthalpy = s.energy + s.pressure;
    row[3] = {v.x * enthalpy, v.y * enthalpy, v.z * enthalpy};
  }
};

__device__ __forceinline__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ __forceinline__ float3 sum(float3 a, float3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ __forceinline__ int cell_index() { return int(blockIdx.x * blockDim.x + threadIdx.x); }

// Every cell starts as the gas far away is.
extern "C" __global__ void initialize_variables(float *__restrict__ variables, int cells) {
  int i = cell_index();
  if (i >= cells)
    return;
#pragma unroll
  for (int v = 0; v < VARIABLES; v++)
    variables[v * cells + i] = farField[v];
}

extern "C" __global__ void copy_variables(const float *__restrict__ from, float *__restrict__ to, int count) {
  int i = cell_index();
  if (i < count)
    to[i] = from[i];
}

// The time step that a cell allows, over its volume.
extern "C" __global__ void compute_step_factor(const float *__restrict__ variables, const float *__restrict__ volumes,
                                               float *__restrict__ factors, int cells) {
  int i = cell_index();
  if (i >= cells)
    return;
  State here(variables, cells, i);
  factors[i] = 0.5f / (sqrtf(volumes[i]) * (here.speed + here.sound));
}

// The flux out of a cell, of all variables. neighbours and normals (the outward
// vectors whose length is the face's area: three components of a face after
// each other) are arrays of cells for each face.
extern "C" __global__ void __launch_bounds__(THREADS)
    compute_flux(const int *__restrict__ neighbours, const float *__restrict__ normals,
                 const float *__restrict__ variables, float *__restrict__ fluxes, int cells) {
  int i = cell_index();
  if (i >= cells)
    return;
  State here(variables, cells, i);
  Flux own(here);
  float density = 0.0f, momentum[3] = {0.0f, 0.0f, 0.0f}, energy = 0.0f;
#pragma unroll 1
  for (int face = 0; face < FACES; face++) {
    int neighbour = neighbours[face * cells + i];
    const float *n = normals + 3 * face * cells + i;
    float3 normal = {n[0], n[cells], n[2 * cells]};
    if (neighbour >= 0) {
      State there(variables, cells, neighbour);
      Flux other(there);
      // Artificial viscosity, then the mean of both fluxes through the face.
      float area = sqrtf(dot(normal, normal));
      float viscosity = area * SMOOTHING * 0.5f * (here.speed + there.speed + here.sound + there.sound);
      float3 half = {0.5f * normal.x, 0.5f * normal.y, 0.5f * normal.z};
      density += viscosity * (here.density - there.density) + dot(half, sum(here.momentum, there.momentum));
      momentum[0] += viscosity * (here.momentum.x - there.momentum.x) + dot(half, sum(own.row[0], other.row[0]));
      momentum[1] += viscosity * (here.momentum.y - there.momentum.y) + dot(half, sum(own.row[1], other.row[1]));
      momentum[2] += viscosity * (here.momentum.z - there.momentum.z) + dot(half, sum(own.row[2], other.row[2]));
      energy += viscosity * (here.energy - there.energy) + dot(half, sum(own.row[3], other.row[3]));
    } else if (neighbour == WING) {
      momentum[0] += normal.x * here.pressure;
      momentum[1] += normal.y * here.pressure;
      momentum[2] += normal.z * here.pressure;
    } else if (neighbour == FAR) {
      float3 half = {0.5f * normal.x, 0.5f * normal.y, 0.5f * normal.z};
      float3 far = {farField[MOMENTUM], farField[MOMENTUM + 1], farField[MOMENTUM + 2]};
      density += dot(half, sum(far, here.momentum));
#pragma unroll
      for (int c = 0; c < 3; c++)
        momentum[c] += dot(half, sum({farFlux[c][0], farFlux[c][1], farFlux[c][2]}, own.row[c]));
      energy += dot(half, sum({farFlux[3][0], farFlux[3][1], farFlux[3][2]}, own.row[3]));
    }
  }
  fluxes[DENSITY * cells + i] = density;
#pragma unroll
  for (int c = 0; c < 3; c++)
    fluxes[(MOMENTUM + c) * cells + i] = momentum[c];
  fluxes[ENERGY * cells + i] = energy;
}

// One Runge-Kutta step: `divisor` is 3, 2, 1.
extern "C" __global__ void time_step(int divisor, const float *__restrict__ old, float *__restrict__ variables,
                                     const float *__restrict__ factors, const float *__restrict__ fluxes, int cells) {
  int i = cell_index();
  if (i >= cells)
    return;
  float factor = factors[i] / float(divisor);
#pragma unroll
  for (int v = 0; v < VARIABLES; v++)
    variables[v * cells + i] = old[v * cells + i] - factor * fluxes[v * cells + i];
}
