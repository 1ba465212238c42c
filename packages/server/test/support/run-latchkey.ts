import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** A project as a user has it, in a folder of its own, with the packages of this workspace. */
export interface CommandProject {
  readonly folder: string
  write(name: string, text: string): void
  /** Runs the command as a user does: a process of its own, in the project's folder. */
  latchkey(args: readonly string[], env?: Readonly<Record<string, string>>, input?: string): Promise<Outcome>
  /** Runs a file of the project. */
  node(file: string): Promise<Outcome>
  /** The words that start the command, for a test that starts it by itself. */
  readonly command: readonly [program: string, ...args: string[]]
  remove(): void
}

const packages = fileURLToPath(new URL('../../..', import.meta.url))

export function createCommandProject(): CommandProject {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-command-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(packages, join(folder, 'node_modules/@latchkey'), 'junction')
  symlinkSync(join(packages, 'server/node_modules/graphql'), join(folder, 'node_modules/graphql'), 'junction')
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
  return {
    folder,
    write: (name, text) => writeFileSync(join(folder, name), text),
    latchkey: (args, env = {}, input = '') => run([cli, ...args], env, input),
    node: (file) => run([join(folder, file)], {}, ''),
    command: [process.execPath, ...flags, cli],
    remove: () => rmSync(folder, { recursive: true }),
  }
}
