#!/usr/bin/env node
import { relative } from 'node:path'
import { chooseFrom, help, UsageError } from '../src/choices.mjs'
import { installCommand, neededNode, runsService } from '../src/node-version.mjs'
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
  const steps = [
    ...(place ? [`cd ${place}`] : []),
    installCommand(process.versions.node),
    'npm test',
    ...(database === 'postgres' ? ['docker compose up --detach   # PostgreSQL, if DATABASE_URL is not set'] : []),
    ...(react
      ? ['npm run dev       # the service', 'npm run dev:web   # in another terminal: the page']
      : ['npm run dev']),
  ]
  console.log(`Created ${files.length} files in ${folder}.\n\nNext:\n${steps.map((step) => `  ${step}`).join('\n')}`)
  const { node } = process.versions
  if (runsService(node)) return
  console.log(
    `\nThe service needs ${neededNode.words}, and this is ${node}: npm install adds Node.js 24 to the project, for its scripts and npx.`,
  )
}
