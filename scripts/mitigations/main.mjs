// Removes each mitigation, one at a time, and shows that its test fails.
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runCommand } from '../run-command.mjs'
import { copyCheckout } from './copy-checkout.mjs'
import { judgeEach } from './judge-each.mjs'
import { mitigations } from './mitigations.mjs'

const help = `usage: npm run mitigations [-- name…] [options]

Takes each mitigation out of a temporary copy of the checkout, one at a time, and runs the test that stands for it. Exits with 0
if every one of these tests passes with the mitigation and fails without it, with 1 if one does not, and with 2 if a mitigation is
not where the list says or the usage is wrong. All of them take six minutes on two cores, so continuous integration does not.

names: ${mitigations.map(({ name }) => name).join(', ')}

  --json      prints the result as JSON
  -h, --help  prints this`

await runCommand('mitigations', main)

async function main(signal) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) {
    console.log(help)
    return 0
  }
  const chosen = choose(positionals)
  const copy = copyCheckout()
  try {
    const results = await judgeEach(chosen, {
      copy,
      signal,
      report: values.json ? () => {} : print,
    })
    const passed = results.every(({ verdict }) => verdict === 'red')
    if (values.json) console.log(JSON.stringify({ passed, results }, null, 2))
    else console.log(`${results.filter(({ verdict }) => verdict === 'red').length} of ${results.length} turned red`)
    return passed ? 0 : 1
  } finally {
    rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
  }
}

function choose(names) {
  const unknown = names.find((name) => !mitigations.some((one) => one.name === name))
  if (unknown !== undefined) throw new Error(`there is no mitigation "${unknown}"; --help names them`)
  return names.length === 0 ? mitigations : mitigations.filter(({ name }) => names.includes(name))
}

function print({ name, verdict, test, title, seconds }) {
  console.log(`${verdict.padEnd(7)} ${name.padEnd(24)} ${seconds.toFixed(0).padStart(3)} s  ${test}: ${title}`)
}
