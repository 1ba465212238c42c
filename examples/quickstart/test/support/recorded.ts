import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { nodeStart } from './start-quickstart.ts'

/** Starts the service so that all that it publishes is added to the file `SAID_FILE`. */
export const recordedStart: typeof nodeStart = [
  nodeStart[0],
  '--import',
  // The set-up of vitest has no `import.meta.resolve`.
  pathToFileURL(createRequire(import.meta.url).resolve('@latchkey/test-services/record-said')).href,
  ...nodeStart.slice(1),
]

export interface Said {
  readonly channel: 'event' | 'measurement'
  readonly said: { readonly type: string } & Readonly<Record<string, unknown>>
  /** All of it that can be looked into, as text. */
  readonly seen: string
}

/** What processes have published so far to such a file. */
export async function readSaid(file: string): Promise<readonly Said[]> {
  const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Said)
}
