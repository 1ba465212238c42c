import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** Bytes of entries of the package in a page: minified and compressed together, without the packages of others. */
export interface Size {
  readonly entries: readonly string[]
  readonly bytes: number
  readonly budget: number
}

const budgets: readonly Omit<Size, 'bytes'>[] = [
  { entries: ['index'], budget: 5120 },
  { entries: ['index', 'react'], budget: 5376 },
  { entries: ['index', 'oauth'], budget: 7168 },
  { entries: ['subscriptions'], budget: 768 },
  { entries: ['server'], budget: 1280 },
]

/** Returns the size of each entry, and of those that pages load together. */
export function readSizes(): Promise<readonly Size[]> {
  return Promise.all(budgets.map(async (one) => ({ ...one, bytes: await bytesOf(one.entries) })))
}

async function bytesOf(entries: readonly string[]): Promise<number> {
  const { outputFiles } = await build({
    stdin: {
      contents: entries.map((name) => `export * from './${name}.ts'`).join('\n'),
      resolveDir: fileURLToPath(new URL('../src', import.meta.url)),
    },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    external: ['react'],
    write: false,
  })
  return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).byteLength
}

if (import.meta.main) {
  const sizes = await readSizes()
  for (const { entries, bytes, budget } of sizes) {
    const name = `@latchkey/client ${entries.map((entry) => (entry === 'index' ? '.' : `./${entry}`)).join(' + ')}`
    console.log(`${name.padEnd(34)} ${String(bytes).padStart(5)} of ${budget} bytes, gzip`)
  }
  if (sizes.some(({ bytes, budget }) => bytes > budget)) process.exitCode = 1
}
