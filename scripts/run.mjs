// Runs a script of package.json on a machine that has only Node.js and npm: installs what is missing with the pinned
// package manager, then starts the script with the pinned Node.js. No package manager runs between this process and the
// script, so the script receives each signal once, and its exit code is returned. No child outlives this process.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

const isWindows = process.platform === 'win32'
const root = fileURLToPath(new URL('..', import.meta.url))
const { packageManager, scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const [name, ...args] = process.argv.slice(2)
if (name === undefined || !Object.hasOwn(scripts, name)) {
  console.error(`usage: node scripts/run.mjs <script> [arguments]\nscripts: ${Object.keys(scripts).join(', ')}`)
  process.exit(2)
}

/** The quickstart with the packages that it depends on, and the root, which pins Node.js. */
const servedProjects = '--filter {.} --filter {examples/quickstart}...'
const installed = new URL('../node_modules/.modules.yaml', import.meta.url)
const partMarker = new URL('../node_modules/.installed-for-start', import.meta.url)

/** The running process group, and the signal that stops it. */
let group
let stoppedBy
watchSignals()
watchParent()

const path = await preparePath()
process.exit(await runScript(scripts[name], { ...process.env, [isWindows ? 'Path' : 'PATH']: path }))

/** Installs what the script needs and returns the PATH on which `node`, `pnpm` and the tools are the pinned ones. */
async function preparePath() {
  const isPart = installsPart(name)
  const call = [...installing(isPart), 'pnpm --use-stderr exec node -p process.env.PATH'].join(' && ')
  const npx = start('npx', ['-y', `--package=${packageManager}`, '--call', isWindows ? `"${call}"` : call], {
    stdio: ['inherit', 'pipe', 'inherit'],
    shell: isWindows,
  })
  let printed = ''
  npx.stdout?.setEncoding('utf8').on('data', (text) => {
    printed += text
  })
  const code = await ended(npx)
  if (code !== 0 || stoppedBy) process.exit(stoppedBy ? codeOf(stoppedBy) : code)
  if (isPart) writeFileSync(partMarker, 'npm start installed what it needs; every other script installs the rest\n')
  else rmSync(partMarker, { force: true })
  return printed.trim()
}

/** `npm start` on a new clone installs a fifth of all packages. If all are installed already, it installs none. */
function installsPart(script) {
  return script === 'serve' && (!existsSync(installed) || existsSync(partMarker))
}

/**
 * After a complete install, pnpm itself checks for changes before it runs a script; after a partial install it does not.
 * A separate first step verifies the versions of the lockfile, and pnpm remembers the result: if one step verifies them and
 * installs some projects, pnpm 12.21 waits for more than a minute before it downloads.
 */
function installing(isPart) {
  const install = 'pnpm install --use-stderr --frozen-lockfile'
  if (isPart) return [`${install} --lockfile-only`, `${install} --prod ${servedProjects}`]
  return existsSync(partMarker) ? ['pnpm install --use-stderr'] : []
}

async function runScript(script, env) {
  // A plain command runs without a shell, which would hide its signals and its exit code.
  const words = /^[\w@./:=\s-]+$/.test(script) && !isWindows ? script.trim().split(/\s+/) : []
  const [command, ...given] = words
  if (command !== undefined) return ended(start(command, [...given, ...args], { env, stdio: 'inherit' }))
  if (args.length === 0) return ended(start(script, [], { env, stdio: 'inherit', shell: true }))
  console.error(`"${name}" takes no arguments: it is more than one command`)
  return 2
}

/** Starts a child in a new process group, so that a signal reaches all of its processes. */
function start(command, given, options) {
  const child = spawn(command, given, { cwd: root, detached: !isWindows, ...options })
  group = child
  if (!isWindows && child.pid !== undefined) guard(child)
  return child
}

/** Kills the group if SIGKILL ends this process: the guard reads from a pipe, which closes with this process. */
function guard(child) {
  const script = 'trap "" HUP INT TERM; read -r done || kill -KILL -"$1" 2>/dev/null'
  const watcher = spawn('sh', ['-c', script, 'guard', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watcher.stdin.on('error', () => {})
  watcher.unref()
  child.on('exit', () => groupEnded(child).then(() => watcher.stdin.end('done\n')))
}

/** Waits until all processes of the child's group have exited. Returns its exit code as a shell would report it. */
function ended(child) {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(`${child.spawnfile} could not be started: ${error.message}`)
      resolve(1)
    })
    child.on('exit', async (code, signal) => {
      await groupEnded(child)
      resolve(code ?? codeOf(signal))
    })
  })
}

function codeOf(signal) {
  return 128 + (constants.signals[signal] ?? 0)
}

/** Waits at most 15 s for the processes that the child started, then kills them. */
async function groupEnded(child) {
  if (isWindows) return
  for (let waited = 0; waited < 15_000; waited += 20) {
    try {
      process.kill(-child.pid, 0)
    } catch {
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  signalGroup('SIGKILL')
}

function signalGroup(signal) {
  try {
    if (isWindows) group?.kill(signal)
    else if (group?.pid !== undefined) process.kill(-group.pid, signal)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

function watchSignals() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    let last = 0
    process.on(signal, () => {
      // Control-C reaches this process twice, from the terminal and from npm. A service stops at once at a second signal.
      if (Date.now() - last < 500) return
      last = Date.now()
      stoppedBy = signal
      signalGroup(signal)
    })
  }
}

/** Stops the group if the parent is gone: a parent that SIGKILL ended forwards no signal. */
function watchParent() {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    stoppedBy = 'SIGTERM'
    signalGroup('SIGTERM')
    setTimeout(() => signalGroup('SIGKILL'), 15_000).unref()
  }, 250)
  timer.unref()
}
