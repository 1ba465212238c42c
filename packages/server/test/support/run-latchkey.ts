import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { HostedCommand } from './command-host.ts'

export interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** A project as a user has it, in a folder of its own, with the packages of this workspace. */
export interface CommandProject {
  readonly folder: string
  write(name: string, text: string): void
  /**
   * Runs the command in the project's folder, one after the other in one process that has loaded the packages: a process
   * for each takes a third of a second of computing.
   */
  latchkey(args: readonly string[], env?: Readonly<Record<string, string>>, input?: string): Promise<Outcome>
  /** Runs it as a user does: a process of its own. For what depends on how that ends. */
  latchkeyAlone(args: readonly string[], env?: Readonly<Record<string, string>>, input?: string): Promise<Outcome>
  /** Runs a file of the project. */
  node(file: string): Promise<Outcome>
  /** The words that start the command, for a test that starts it by itself. */
  readonly command: readonly [program: string, ...args: string[]]
  remove(): Promise<void>
}

const packages = fileURLToPath(new URL('../../..', import.meta.url))

export function createCommandProject(): CommandProject {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-command-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(packages, join(folder, 'node_modules/@latchkey'), 'junction')
  for (const name of ['dataloader', 'graphql']) {
    symlinkSync(join(packages, 'server/node_modules', name), join(folder, 'node_modules', name), 'junction')
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')

  const flags = ['--no-warnings', '--conditions=@latchkey/source']
  const cli = join(packages, 'server/src/cli.ts')
  function run(program: readonly string[], env: Readonly<Record<string, string>>, input: string): Promise<Outcome> {
    const options = { cwd: folder, env: { ...process.env, ...env }, timeout: 120_000 }
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [...flags, ...program], options, (error, stdout, stderr) =>
        resolve({ exitCode: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
      )
      // A command that ends before it has read this closes the pipe.
      child.stdin?.on('error', () => null)
      child.stdin?.end(input)
    })
  }
  let host: ChildProcess | null = null
  let last: Promise<unknown> = Promise.resolve()
  function runHosted(command: HostedCommand): Promise<Outcome> {
    host ??= startHost()
    const outcome = last.then(() => ask(host as ChildProcess, command))
    last = outcome.catch(() => null)
    return outcome
  }
  function startHost(): ChildProcess {
    const file = fileURLToPath(new URL('command-host.ts', import.meta.url))
    return fork(file, [pathToFileURL(cli).href], { cwd: folder, execArgv: flags })
  }
  return {
    folder,
    write: (name, text) => writeFileSync(join(folder, name), text),
    latchkey: (args, env = {}, input = '') => runHosted({ args, env, input }),
    latchkeyAlone: (args, env = {}, input = '') => run([cli, ...args], env, input),
    node: (file) => run([join(folder, file)], {}, ''),
    command: [process.execPath, ...flags, cli],
    async remove() {
      const ended = host && once(host, 'exit')
      host?.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

/** @throws Error when the process ends instead. */
async function ask(host: ChildProcess, command: HostedCommand): Promise<Outcome> {
  const settled = new AbortController()
  const { signal } = settled
  const ended = once(host, 'exit', { signal }).then(([code]) => {
    throw new Error(`the process of the commands ended with ${code}`)
  })
  const answered = once(host, 'message', { signal })
  try {
    host.send(command)
    const [outcome] = await Promise.race([answered, ended])
    return outcome
  } finally {
    settled.abort()
  }
}
