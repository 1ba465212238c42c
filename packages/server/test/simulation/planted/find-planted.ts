import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { allPlanted } from './all-planted.ts'
import type { Searched } from './search.ts'

export const seedsAtMost = 2000
const atOnce = 2
const program = fileURLToPath(new URL('./search-one.ts', import.meta.url))
const run = promisify(execFile)
const allNames = allPlanted.map(({ name }) => name)

/** Looks for every planted fault, two at a time, each in a process of its own. */
export async function findPlanted(names: readonly string[] = allNames) {
  const left = [...names]
  const found: Searched[] = []
  const work = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) found.push(await searchInProcess(name))
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return found.sort((one, other) => names.indexOf(one.fault) - names.indexOf(other.fault))
}

async function searchInProcess(name: string): Promise<Searched> {
  const { stdout } = await run(process.execPath, ['--conditions=@latchkey/source', program, name, String(seedsAtMost)])
  return JSON.parse(stdout) as Searched
}
