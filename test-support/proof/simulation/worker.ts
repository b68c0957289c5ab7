// Runs a share of the histories in a separate thread.
import { parentPort, workerData } from 'node:worker_threads';
import { type SimulateOptions, simulate } from './simulate.ts';

parentPort?.postMessage(await simulate(workerData as Pick<SimulateOptions, 'seed' | 'histories'>), []);
