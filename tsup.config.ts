import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'tsup'

interface Manifest {
  exports: Record<string, { '@latchkey/source'?: string }>
  imports?: Record<string, { '@latchkey/source': Record<string, string> }>
  bin?: Record<string, string>
  /** Dependencies whose code becomes part of `dist`: a release does not declare them. */
  bundled?: string[]
}

// Run in a package's folder: one entry per subpath export and per file that `imports` chooses for a runtime.
const manifest: Manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const exported = Object.values(manifest.exports).flatMap((target) => target['@latchkey/source'] ?? [])
const commands = Object.values(manifest.bin ?? {}).map((file) => file.replace(/dist\/(.*)\.js$/, 'src/$1.ts'))
const chosen = Object.values(manifest.imports ?? {}).flatMap((target) => Object.values(target['@latchkey/source']))
const entries = [...exported, ...commands, ...chosen].map((file) => file.replace(/^\.\//, ''))
const bundled = manifest.bundled ?? []

export default defineConfig({
  entry: Object.fromEntries(entries.map((file) => [file.replace(/^src\/(.*)\.ts$/, '$1'), file])),
  format: 'esm',
  platform: 'neutral',
  target: 'es2023',
  dts: false,
  sourcemap: true,
  splitting: true,
  clean: false,
  // The runtime that imports the package resolves `#` imports.
  external: [/^node:/, /^#/],
  noExternal: bundled,
  // Deno and Workers know Node.js's modules by their full names only.
  removeNodeProtocol: false,
  silent: true,
  esbuildOptions(options) {
    // V8 parses regular expressions and builds their Unicode classes before a function with them is called. It parses a
    // call of `RegExp` when the call is executed.
    options.supported = { ...options.supported, 'regexp-sticky-and-unicode-flags': false }
  },
  async onSuccess() {
    if (bundled.length > 0) writeFileSync('dist/THIRD-PARTY-LICENSES.txt', bundled.map(licenceOf).join('\n\n'))
  },
})

/** The licences of bundled packages require a copy with their code. */
function licenceOf(name: string): string {
  const folder = join('node_modules', name)
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((path) => /^licen[cs]e/i.test(path))
  if (file === undefined) throw new Error(`${name} has no licence`)
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
}
