import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { House } from '../house/house.ts'
import { type CodeBlock, firstExamples } from './code-blocks.ts'
import { createReaderProject } from './reader-project.ts'

const run = promisify(execFile)

/** Runs the first example of each README as a program in an empty folder. Returns what went wrong. */
export async function runExamples(house: House): Promise<string[]> {
  const blocks = firstExamples(house)
  const { folder, files, remove } = createReaderProject(house, blocks.map(withFreePort))
  try {
    const runs = blocks.map(async ({ path, line }, index) => {
      const cwd = join(folder, `${index}`)
      mkdirSync(cwd)
      const reason = await runModule(join(folder, files[index] ?? ''), cwd, ['--conditions=@latchkey/source'])
      return reason === null ? [] : [`${path}:${line}: ${reason}`]
    })
    return (await Promise.all(runs)).flat()
  } finally {
    remove()
  }
}

/** Returns the example on a free port, with the code that it runs as a program. */
export function withFreePort(block: CodeBlock): CodeBlock {
  return { ...block, code: block.code.replace(/\bport: \d+/, 'port: 0').replace('if (import.meta.main) ', '') }
}

/** Runs a module until it has been evaluated, and stops its services. Returns the reason of a failure, or `null`. */
export async function runModule(file: string, cwd: string, options: readonly string[]): Promise<string | null> {
  const main = `await import(${JSON.stringify(pathToFileURL(file))}); process.exit(0)`
  const args = [...options, '--no-warnings', '--input-type=module', '--eval', main]
  try {
    await run(process.execPath, args, { cwd, timeout: 120_000 })
    return null
  } catch (error) {
    const printed = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    const [reason = printed] = /^\w*Error\b.*$/m.exec(printed) ?? []
    return reason
  }
}
