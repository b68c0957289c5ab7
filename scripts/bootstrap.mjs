// Installs the dependencies of the lockfile if they have changed. Then runs the pinned Node with the given arguments, if any.
// Needs only Node and npm. The installation writes to standard error, because standard output belongs to the program.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { oldNodeMessage } from './oldest-node.mjs';

const stamp = 'node_modules/.bootstrap-stamp';
const lock = '.bootstrap.lock';
const bin = resolve(fileURLToPath(import.meta.url), '../../node_modules/.bin');
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Copies of a signal within this time count as one signal (contract §9). */
const copyWindowMs = 250;

const read = (file) => readFileSync(file, 'utf8');
const fail = (message, status = 1) => {
  console.error(`bootstrap: ${message}`);
  process.exit(status);
};

const manifests = () =>
  readdirSync('packages')
    .map((name) => `packages/${name}/package.json`)
    .filter((file) => existsSync(file));

/** Returns the digest of everything that an installation depends on. */
const digest = () => {
  const hash = createHash('sha256').update(process.platform + process.arch);
  for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests()]) {
    hash.update(file).update(read(file));
  }
  return hash.digest('hex');
};

const isInstalled = () => existsSync(stamp) && read(stamp) === digest();

const takeLock = () => {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
};

/** Whether the owner of the lock was killed and left the lock. */
const lockIsStale = () => {
  try {
    process.kill(Number(read(lock)), 0);
    return false;
  } catch (error) {
    return error.code !== 'EPERM' && error.code !== 'ENOENT';
  }
};

/** Returns the exit status that shells use for a process ended by a signal. */
const signalStatus = (signal) => 128 + constants.signals[signal];

/** Installs and returns the exit status. A signal ends all processes of the installation, which then counts as failed. */
const install = () => {
  const { packageManager } = JSON.parse(read('package.json'));
  let interruptedBy;
  const interrupt = (signal) => {
    interruptedBy ??= signal;
    try {
      if (child.pid) process.kill(-child.pid, signal);
    } catch {
      // The installation has already ended.
    }
  };
  // Before the installation starts: a signal without a handler would end this process and leave the installation running.
  for (const signal of stopSignals) process.on(signal, interrupt);
  const child = spawn('npx', ['-y', packageManager, 'install', '--frozen-lockfile'], {
    stdio: ['ignore', 2, 2],
    // With CI, pnpm replaces a node_modules made by npm without asking.
    env: { CI: '1', ...process.env },
    detached: true, // its own process group, so that a signal also reaches the processes that npx starts
  });
  return new Promise((done) => {
    const finish = (status) => {
      for (const signal of stopSignals) process.off(signal, interrupt);
      done(interruptedBy ? signalStatus(interruptedBy) : status);
    };
    child.on('error', (error) => {
      console.error(error.message);
      finish(1);
    });
    child.on('exit', (code, signal) => finish(signal ? signalStatus(signal) : code));
  });
};

const ensureInstalled = async () => {
  while (!isInstalled()) {
    if (!takeLock()) {
      if (lockIsStale()) rmSync(lock, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
      continue;
    }
    const status = isInstalled() ? 0 : await install();
    if (status === 0) writeFileSync(stamp, digest());
    rmSync(lock, { force: true });
    if (status !== 0) fail(status > 128 ? 'the installation was interrupted' : 'the installation failed', status);
  }
};

const pinnedNode = () => {
  const pinned = resolve(bin, 'node');
  if (existsSync(pinned)) return pinned;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major * 100 + minor >= 2415) return process.execPath;
  return fail(`no package of Node exists for this platform; install Node 24.15 or newer (this is ${process.version})`);
};

const run = (args) => {
  const env = { ...process.env, PATH: bin + delimiter + process.env.PATH, BOOTSTRAP_PID: String(process.pid) };
  let hasSignalled = false;
  // Before the program starts, which may be ready, and be signalled, before this process listens for signals.
  for (const signal of stopSignals) {
    let isCopy = false;
    process.on(signal, () => {
      hasSignalled = true;
      // npm forwards signals that this process has already received as a member of the process group.
      if (isCopy) return;
      isCopy = true;
      setTimeout(() => {
        isCopy = false;
      }, copyWindowMs).unref();
      child.kill(signal);
    });
  }
  const child = spawn(pinnedNode(), args, { stdio: 'inherit', env });
  // If npm is killed with SIGKILL, it forwards nothing, and the program would keep running and hold its port.
  const parentId = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parentId) return;
    clearInterval(watch);
    // A program that is already stopping would treat this as a second signal and exit at once.
    if (!hasSignalled) child.kill('SIGTERM');
  }, 250);
  watch.unref();
  child.on('exit', (code, signal) => process.exit(signal ? signalStatus(signal) : code));
};

const tooOld = oldNodeMessage(process.versions.node);
if (tooOld) fail(tooOld);
process.chdir(resolve(bin, '../..'));
await ensureInstalled();
const args = process.argv.slice(2);
if (args.length > 0) run(args);
