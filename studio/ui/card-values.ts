import type { QualityGrade } from '../generated/operations.js';

export const DIFFICULTIES = [1, 2, 3, 4, 5] as const;

export const QUALITY: readonly QualityGrade[] = ['EXCELLENT', 'GOOD', 'FAIR'];
