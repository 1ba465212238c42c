import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CommandFailure } from './command-failure.ts'

/** A file's exports by their names. */
export type Exports = Readonly<Record<string, unknown>>

/**
 * Imports the one file that a command was given, or the one that package.json names. Node.js removes the types of a TypeScript file itself.
 *
 * @throws CommandFailure when the file does not exist, and when it throws, as a service with a field without a rule does.
 */
export async function importFile(command: string, files: readonly string[]): Promise<[file: string, exports: Exports]> {
  const [given, ...others] = files
  const file = given ?? (await namedFile())
  if (file === undefined || others.length > 0) {
    throw new CommandFailure(`latchkey ${command}: one file is required, the one that exports your server.`, {
      exitCode: 2,
      next: `See: latchkey ${command} --help`,
    })
  }
  await requireFile(command, file)
  try {
    return [file, await import(pathToFileURL(resolve(file)).href)]
  } catch (error) {
    throw new CommandFailure(`${file} cannot be imported.`, { exitCode: 1, cause: error, ...adviceFor(error) })
  }
}

/** The file that `package.json` of the working directory names: `"latchkey": { "server": "server.ts" }`. */
async function namedFile(): Promise<string | undefined> {
  const text = await readFile('package.json', 'utf8').catch(() => '{}')
  try {
    const named = propertyOf(propertyOf(JSON.parse(text), 'latchkey'), 'server')
    return typeof named === 'string' ? named : undefined
  } catch {
    return undefined
  }
}

async function requireFile(command: string, file: string): Promise<void> {
  const found = await stat(file).catch(() => null)
  if (found?.isFile()) return
  throw new CommandFailure(
    `latchkey ${command}: ${found ? `${file} is not a file` : `the file ${file} does not exist`}.`,
    {
      exitCode: 2,
      next: `The path of the file that exports your server is relative to ${process.cwd()}`,
    },
  )
}

const advice: Readonly<Record<string, string>> = {
  ERR_MODULE_NOT_FOUND: 'Install what it imports; relative imports need their file extension, ./policy.ts.',
  ERR_UNKNOWN_FILE_EXTENSION: 'Node.js imports .js, .mjs, .ts and .mts: use one of these, or the built file.',
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX: 'Node.js removes types but does not transform TypeScript: use the built file.',
}

function adviceFor(error: unknown): { readonly next?: string } {
  if (isReadAsCommonJs(error)) {
    return {
      next: 'Node.js read it as CommonJS: npm pkg set type=module, or give the file a name that ends with .mts.',
    }
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const next = advice[code]
  return next === undefined ? {} : { next }
}

/** Returns whether the syntax of an ES module has failed in CommonJS. `npm init` writes `"type": "commonjs"`. */
function isReadAsCommonJs(error: unknown): boolean {
  return (
    error instanceof SyntaxError &&
    / outside a module$|^Unexpected token 'export'$|^await is only valid in .* modules$/.test(error.message)
  )
}

/** Returns a property of an exported value, or `undefined`. */
export function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Returns the failure for a file without the export that a command needs. */
export function missingExport(file: string, exports: Exports, wanted: string): CommandFailure {
  const names = Object.keys(exports).sort()
  return new CommandFailure(
    `${file} exports ${names.length > 0 ? names.join(', ') : 'nothing'}, and the command needs ${wanted}.`,
    { exitCode: 2, next: 'Export it by name: export const server = createServer({ … })' },
  )
}
