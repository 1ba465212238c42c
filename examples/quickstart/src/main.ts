import nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'

// What was compiled is kept beside the installed packages, so that the next start takes half as long.
nodeModule.enableCompileCache?.(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)))

await import('./serve.ts')
nodeModule.flushCompileCache?.()
