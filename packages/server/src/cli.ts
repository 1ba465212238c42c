#!/usr/bin/env node
import { existsSync } from 'node:fs'
import nodeModule from 'node:module'
import { resolve } from 'node:path'

// What was compiled is kept for the next command. Beside the installed packages: who can write there can change them, too.
// In the folder for temporary files, where it lies by default, another user could have put it.
const installed = resolve('node_modules')
if (existsSync(installed)) nodeModule.enableCompileCache?.(resolve(installed, '.cache/latchkey'))

await import('./commands.ts')
