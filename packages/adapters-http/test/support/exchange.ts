import { connect } from 'node:net';
import type { ResponseJson } from '../../../../test-support/client.ts';

/** A response as received from a connection. */
export interface Raw {
  readonly status: number;
  readonly head: string;
  readonly body: ResponseJson;
}

/** Writes bytes to a port of this machine and reads until the server closes the connection or the response is complete. */
export const exchange = (port: number, ...parts: readonly (string | Buffer)[]): Promise<Raw> =>
  new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part);
    });
    const finish = () => {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (head === '' || Buffer.byteLength(body) < length) return false;
      socket.destroy();
      resolve({ status: Number(head.split(' ')[1]), head, body: body ? JSON.parse(body) : null });
      return true;
    };
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      finish();
    });
    socket.on('end', () => {
      if (!finish()) reject(new Error(`closed after ${JSON.stringify(text)}`));
    });
    socket.on('error', reject);
  });
