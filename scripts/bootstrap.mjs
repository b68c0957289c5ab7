// Installs what the lockfile says where that has not been done yet, then runs its arguments, if any, on the pinned Node.
// Needs nothing but Node and npm. Standard output belongs to the program that is run: installing writes to stderr.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refusal } from './node-floor.mjs';

const stamp = 'node_modules/.bootstrap-stamp';
const lock = '.bootstrap.lock';
const bin = resolve(fileURLToPath(import.meta.url), '../../node_modules/.bin');
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** Milliseconds in which copies of a signal count once. Contract, section 9. */
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

/** What an installation depends on: as long as it is the same, there is nothing to install. */
const digest = () => {
  const hash = createHash('sha256').update(process.platform + process.arch);
  for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests()]) {
    hash.update(file).update(read(file));
  }
  return hash.digest('hex');
};

const installed = () => existsSync(stamp) && read(stamp) === digest();

const takeLock = () => {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  }
};

/** A lock outlives its owner when that was killed. */
const lockIsStale = () => {
  try {
    process.kill(Number(read(lock)), 0);
    return false;
  } catch (error) {
    return error.code !== 'EPERM' && error.code !== 'ENOENT';
  }
};

/** The exit status of a shell for a process that a signal has ended. */
const signalStatus = (signal) => 128 + constants.signals[signal];

/** The exit status of the installation. A signal ends all its processes; it then counts as failed, whatever they say. */
const install = () => {
  const { packageManager } = JSON.parse(read('package.json'));
  const child = spawn('npx', ['-y', packageManager, 'install', '--frozen-lockfile'], {
    stdio: ['ignore', 2, 2],
    // CI keeps pnpm from asking before it replaces a node_modules that npm has made.
    env: { CI: '1', ...process.env },
    detached: true, // a group of its own, so that one signal reaches what npx has started
  });
  return new Promise((done) => {
    let interruptedBy;
    const interrupt = (signal) => {
      interruptedBy ??= signal;
      try {
        if (child.pid) process.kill(-child.pid, signal);
      } catch {
        // It has ended meanwhile.
      }
    };
    for (const signal of stopSignals) process.on(signal, interrupt);
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
  while (!installed()) {
    if (!takeLock()) {
      if (lockIsStale()) rmSync(lock, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
      continue;
    }
    const status = installed() ? 0 : await install();
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
  return fail(`no Node is packaged for this platform; Node 24.15 or newer is needed, this is ${process.version}`);
};

const run = (args) => {
  const env = { ...process.env, PATH: bin + delimiter + process.env.PATH, BOOTSTRAP_PID: String(process.pid) };
  const child = spawn(pinnedNode(), args, { stdio: 'inherit', env });
  let told = false;
  for (const signal of stopSignals) {
    let isCopy = false;
    process.on(signal, () => {
      told = true;
      // npm passes on what a process group has had already.
      if (isCopy) return;
      isCopy = true;
      setTimeout(() => {
        isCopy = false;
      }, copyWindowMs).unref();
      child.kill(signal);
    });
  }
  // npm killed with SIGKILL passes nothing on: what it has started must not go on without it, and hold the port.
  const starter = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === starter) return;
    clearInterval(watch);
    // What is stopping already, as when a terminal is closed, would take it for a second signal and break off.
    if (!told) child.kill('SIGTERM');
  }, 250);
  watch.unref();
  child.on('exit', (code, signal) => process.exit(signal ? signalStatus(signal) : code));
};

const tooOld = refusal(process.versions.node);
if (tooOld) fail(tooOld);
process.chdir(resolve(bin, '../..'));
await ensureInstalled();
const args = process.argv.slice(2);
if (args.length > 0) run(args);
