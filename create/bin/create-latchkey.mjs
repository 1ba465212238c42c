#!/usr/bin/env node
import { relative } from 'node:path'
import { chooseFrom, help, UsageError } from '../src/choices.mjs'
import { writeProject } from '../src/write-project.mjs'

try {
  const choices = await chooseFrom(process.argv.slice(2), { input: process.stdin, output: process.stderr })
  if (choices === null) console.log(help)
  else report(choices, writeProject(choices))
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`create-latchkey: ${error.message}`)
  process.exitCode = 2
}

function report({ folder, database, react, json }, files) {
  if (json) {
    console.log(JSON.stringify({ folder, database, react, files }))
    return
  }
  const below = relative(process.cwd(), folder)
  const place = below.startsWith('..') ? folder : below
  const steps = [...(place ? [`cd ${place}`] : []), 'npm install', 'npm test', 'npm run dev']
  console.log(`Created ${files.length} files in ${folder}.\n\nNext:\n${steps.map((step) => `  ${step}`).join('\n')}`)
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < 22 || (major === 22 && minor < 18)) {
    console.log(`\nThe service needs Node.js 22.18 or later; this is ${process.versions.node}.`)
  }
}
