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
  latchkey(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome>
  /** Runs a file of the project. */
  node(file: string): Promise<Outcome>
  remove(): void
}

const packages = fileURLToPath(new URL('../../..', import.meta.url))

export function createCommandProject(): CommandProject {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-command-'))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(packages, join(folder, 'node_modules/@latchkey'), 'junction')
  symlinkSync(join(packages, 'server/node_modules/graphql'), join(folder, 'node_modules/graphql'), 'junction')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')

  function run(program: readonly string[], env: Readonly<Record<string, string>>): Promise<Outcome> {
    const options = { cwd: folder, env: { ...process.env, ...env }, timeout: 120_000 }
    const args = ['--no-warnings', '--conditions=@latchkey/source', ...program]
    return new Promise((resolve) => {
      execFile(process.execPath, args, options, (error, stdout, stderr) =>
        resolve({ exitCode: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
      )
    })
  }
  return {
    folder,
    write: (name, text) => writeFileSync(join(folder, name), text),
    latchkey: (args, env = {}) => run([join(packages, 'server/src/cli.ts'), ...args], env),
    node: (file) => run([join(folder, file)], {}),
    remove: () => rmSync(folder, { recursive: true }),
  }
}
