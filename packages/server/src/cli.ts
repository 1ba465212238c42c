#!/usr/bin/env node
import { existsSync } from 'node:fs'
import nodeModule from 'node:module'
import { resolve } from 'node:path'
import { refusalOfNode } from './cli/node-version.ts'

const refusal = refusalOfNode(process.versions.node)
if (refusal === null) {
  // Keeps compiled code for the next command, next to the installed packages, which have the same owner. In the default
  // folder for temporary files, another user could have planted it.
  const installed = resolve('node_modules')
  if (existsSync(installed)) nodeModule.enableCompileCache?.(resolve(installed, '.cache/latchkey'))

  await import('./commands.ts')
} else {
  process.stderr.write(`${refusal}\n`)
  process.exitCode = 1
}
