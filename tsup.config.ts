import { readFileSync } from 'node:fs'
import { defineConfig } from 'tsup'

// Run in a package's folder: one entry per subpath export, as its package.json lists them.
const manifest: { exports: Record<string, { '@latchkey/source'?: string }>; bin?: Record<string, string> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
)
const exported = Object.values(manifest.exports).flatMap((target) => target['@latchkey/source'] ?? [])
const commands = Object.values(manifest.bin ?? {}).map((file) => file.replace(/dist\/(.*)\.js$/, 'src/$1.ts'))
const entries = [...exported, ...commands].map((file) => file.replace(/^\.\//, ''))

export default defineConfig({
  entry: Object.fromEntries(entries.map((file) => [file.replace(/^src\/(.*)\.ts$/, '$1'), file])),
  format: 'esm',
  platform: 'neutral',
  target: 'es2023',
  dts: false,
  sourcemap: true,
  splitting: true,
  clean: false,
  external: [/^node:/],
  // Deno and Workers know Node.js's modules by their full names only.
  removeNodeProtocol: false,
  silent: true,
})
