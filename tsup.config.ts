import { readFileSync } from 'node:fs'
import { defineConfig } from 'tsup'

interface Manifest {
  exports: Record<string, { '@latchkey/source'?: string }>
  imports?: Record<string, { '@latchkey/source': Record<string, string> }>
  bin?: Record<string, string>
}

// Run in a package's folder: one entry per subpath export and per file that `imports` chooses for a runtime.
const manifest: Manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const exported = Object.values(manifest.exports).flatMap((target) => target['@latchkey/source'] ?? [])
const commands = Object.values(manifest.bin ?? {}).map((file) => file.replace(/dist\/(.*)\.js$/, 'src/$1.ts'))
const chosen = Object.values(manifest.imports ?? {}).flatMap((target) => Object.values(target['@latchkey/source']))
const entries = [...exported, ...commands, ...chosen].map((file) => file.replace(/^\.\//, ''))

export default defineConfig({
  entry: Object.fromEntries(entries.map((file) => [file.replace(/^src\/(.*)\.ts$/, '$1'), file])),
  format: 'esm',
  platform: 'neutral',
  target: 'es2023',
  dts: false,
  sourcemap: true,
  splitting: true,
  clean: false,
  // What `#` stands for is chosen by the runtime that imports the package.
  external: [/^node:/, /^#/],
  // Deno and Workers know Node.js's modules by their full names only.
  removeNodeProtocol: false,
  silent: true,
})
