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
  { entries: ['index', 'oauth'], budget: 7200 },
  { entries: ['subscriptions'], budget: 768 },
  { entries: ['server'], budget: 1280 },
  { entries: ['answers/print-document'], budget: 448 },
]

/** Returns the sizes of entries and of combinations of entries, without the parts that a page loads on demand. */
export function readSizes(): Promise<readonly Size[]> {
  return Promise.all(budgets.map(async (one) => ({ ...one, bytes: await bytesOf(one.entries) })))
}

async function bytesOf(entries: readonly string[]): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: entries.map((name) => `export * from './${name}.ts'`).join('\n'),
      resolveDir: fileURLToPath(new URL('../src', import.meta.url)),
    },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    external: ['react'],
    outdir: 'dist',
    metafile: true,
    write: false,
  })
  const outputs = Object.values(metafile.outputs)
  const loaded = outputs.findIndex(({ entryPoint }) => entryPoint === '<stdin>')
  // A chunk that the entry needs at once would not be counted.
  if (outputs[loaded]?.imports.some(({ kind, external }) => kind === 'import-statement' && !external))
    throw new Error(`${entries.join()} has shared chunks`)
  return gzipSync(outputFiles[loaded]?.contents ?? '', { level: 9 }).byteLength
}

if (import.meta.main) {
  const sizes = await readSizes()
  for (const { entries, bytes, budget } of sizes) {
    const name = `@latchkey/client ${entries.map((entry) => (entry === 'index' ? '.' : `./${entry}`)).join(' + ')}`
    console.log(`${name.padEnd(34)} ${String(bytes).padStart(5)} of ${budget} bytes, gzip`)
  }
  if (sizes.some(({ bytes, budget }) => bytes > budget)) process.exitCode = 1
}
