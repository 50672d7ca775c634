import type { Weights } from './tracer.js';

/**
 * What the features of {@link Tracer} weigh where there are too few answers to learn it from: learnt from simulated
 * students, by `npm run bench -- mastery --students 4000 --seed 7 --weights`. Difficulties and abilities are not part
 * of it: those are each school's own.
 */
// biome-ignore format: one number a line would be 82 lines.
export const DEFAULT_WEIGHTS: Weights = [
  -0.02378, 0.2563, 0.02371, 0.007148, 1.153, 0.006457, -0.07496, 0.114, 0.05857, -0.1057, -0.1954, 0.05356,
  -0.01004, -0.4021, 0.06398, 0.1263, -0.107, -0.08257, -0.05161, -0.1057, -0.1451, -0.06315, -0.04759, 0.02669,
  0.09375, 0.01126, -0.01377, -0.05904, 0.08993, 0.08076, -0.0731, 0.2301, 0.3417, 0.3494, -0.09749, 0.003491,
  -1.105, 0.1669, 2.113, -0.4217, 0.04569, 0.1561, 0.01541, 0.0677, -0.0929, 0.1685, -0.3076, -0.1673,
  -0.1873, 0.06565, -0.1761, -0.09997, -0.211, 0.1611, -0.3318, 0.1937, -0.07943, -0.7268, -0.009399, -0.3936,
  1.007, 0.287, 2.255, -0.141, 0.2346, 0.02361, 0.5771, -0.2886, 0.3603, 0.3377, 1.019, 0.3716,
  0.4994, -0.1638, 0.2733, -0.2853, -0.02577, 0.2039, -0.07446, -0.6132, -0.1334, -0.4662,
];
