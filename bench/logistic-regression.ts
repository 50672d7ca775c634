import { sigmoid } from '../src/practice/mastery/gaussian.js';
import type { Weights } from '../src/practice/mastery/tracer.js';

/** Rows of features, one after the other, and what came of each. */
export interface Examples {
  readonly width: number;
  /** `Float64Array[rows x width]` */
  readonly features: Float64Array;
  /** 1: right. `Uint8Array[rows]` */
  readonly labels: Uint8Array;
}

const ITERATIONS = 12;
/** Largest change of a weight at which the fit has converged. */
const TOLERANCE = 1e-6;

/**
 * Logistic regression with an L2 penalty on standardised features, by Newton's method: no step size, the same each
 * time.
 */
export function fitLogistic({ width, features, labels }: Examples, penalty: number): Weights {
  const rows = labels.length;
  const { means, scales } = moments(features, width, rows);
  const size = width + 1;
  let weights = new Float64Array(size);
  for (let iteration = 0; iteration < ITERATIONS; iteration += 1) {
    const gradient = new Float64Array(size);
    const hessian = new Float64Array(size * size);
    const row = new Float64Array(size);
    row[width] = 1;
    for (let at = 0; at < rows; at += 1) {
      let logit = weights[width] as number;
      for (let f = 0; f < width; f += 1) {
        const value = ((features[at * width + f] as number) - (means[f] as number)) / (scales[f] as number);
        row[f] = value;
        logit += value * (weights[f] as number);
      }
      const p = sigmoid(logit);
      const error = (labels[at] as number) - p;
      const curvature = p * (1 - p);
      for (let f = 0; f < size; f += 1) {
        const value = row[f] as number;
        gradient[f] = (gradient[f] as number) + error * value;
        const scaled = curvature * value;
        for (let g = 0; g <= f; g += 1) {
          hessian[f * size + g] = (hessian[f * size + g] as number) + scaled * (row[g] as number);
        }
      }
    }
    for (let f = 0; f < width; f += 1) {
      gradient[f] = (gradient[f] as number) - penalty * (weights[f] as number);
      hessian[f * size + f] = (hessian[f * size + f] as number) + penalty;
    }
    const step = solved(hessian, gradient);
    weights = weights.map((weight, f) => weight + (step[f] as number));
    if (step.every((change) => Math.abs(change) < TOLERANCE)) break;
  }
  return unstandardised(weights, means, scales);
}

function moments(features: Float64Array, width: number, rows: number) {
  const means = new Float64Array(width);
  const scales = new Float64Array(width);
  for (let f = 0; f < width; f += 1) {
    let [sum, squares] = [0, 0];
    for (let at = 0; at < rows; at += 1) {
      const value = features[at * width + f] as number;
      sum += value;
      squares += value * value;
    }
    means[f] = sum / rows;
    const variance = squares / rows - (means[f] as number) ** 2;
    // A feature that is the same everywhere has the weight 0.
    scales[f] = variance > 1e-12 ? Math.sqrt(variance) : 1;
  }
  return { means, scales };
}

function unstandardised(weights: Float64Array, means: Float64Array, scales: Float64Array): Weights {
  const width = means.length;
  const plain = Array.from({ length: width }, (_, f) => (weights[f] as number) / (scales[f] as number));
  const constant = plain.reduce((sum, weight, f) => sum - weight * (means[f] as number), weights[width] as number);
  return [...plain, constant];
}

/** The solution of a positive definite system, of whose matrix the lower triangle is given (Cholesky). */
function solved(matrix: Float64Array, right: Float64Array): Float64Array {
  const size = right.length;
  const at = (r: number, c: number): number => matrix[r * size + c] as number;
  for (let c = 0; c < size; c += 1) {
    for (let r = c; r < size; r += 1) {
      let value = at(r, c);
      for (let k = 0; k < c; k += 1) value -= at(r, k) * at(c, k);
      matrix[r * size + c] = r === c ? Math.sqrt(Math.max(value, 1e-9)) : value / at(c, c);
    }
  }
  const solution = Float64Array.from(right);
  for (let r = 0; r < size; r += 1) {
    for (let k = 0; k < r; k += 1) solution[r] = (solution[r] as number) - at(r, k) * (solution[k] as number);
    solution[r] = (solution[r] as number) / at(r, r);
  }
  for (let r = size - 1; r >= 0; r -= 1) {
    for (let k = r + 1; k < size; k += 1) solution[r] = (solution[r] as number) - at(k, r) * (solution[k] as number);
    solution[r] = (solution[r] as number) / at(r, r);
  }
  return solution;
}
