import type { FastifyRequest } from 'fastify';
import { DEFAULT_VIEWER, type Viewer } from './domain/viewer.js';

/** Who asks, whatever they ask for. There is no authentication yet: everyone is the one viewer. */
export function viewerOf(_request: FastifyRequest): Viewer {
  return DEFAULT_VIEWER;
}
