import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { graphqlErrors } from './errors.js';

/** Errors of Node's HTTP parser; any other one means that the bytes are not HTTP. */
const PROBLEMS: Readonly<Record<string, { readonly status: number; readonly message: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'the request did not arrive in time' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'the headers are too large' },
};
const MALFORMED = { status: 400, message: 'the request is malformed' };

/** Answers a malformed request with a GraphQL error, and closes its connection. */
export function refuseClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const { status, message } = PROBLEMS[error.code ?? ''] ?? MALFORMED;
  const body = JSON.stringify(graphqlErrors(message, { code: 'BAD_REQUEST' }));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroySoon();
}
