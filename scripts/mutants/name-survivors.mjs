// A plugin of Stryker: names each survivor when it is found, because a run can take hours.
import { relative } from 'node:path'

export const strykerPlugins = [{ kind: 'Reporter', name: 'survivors', value: { onMutantTested } }]

function onMutantTested({ status, fileName, location, mutatorName, replacement }) {
  if (status !== 'Survived' && status !== 'NoCoverage') return
  const place = `${relative(process.cwd(), fileName)}:${location.start.line}:${location.start.column}`
  console.error(`unnoticed: ${place} ${mutatorName} ${replacement.replace(/\s+/g, ' ').slice(0, 100)}`)
}
