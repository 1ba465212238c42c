import type { Structure } from './measure-structure.ts'

export function structureText({ packages, folders, circles, back, functions }: Structure): string {
  const { count, medianLines, longest } = functions
  return [
    'Lines (files)',
    ...packages.map(
      ({ name, sources, tests }) =>
        `  ${name.padEnd(34)} src ${cell(sources.lines)} (${sources.files}), test ${cell(tests.lines)} (${tests.files})`,
    ),
    '',
    'Files in a folder',
    ...folders.map(({ folder, files }) => `  ${cell(files)}  ${folder}`),
    '',
    `Circles of folders: ${circles.length}`,
    ...circles.map(({ folder, places }) => `  ${folder}: ${places.join(', ')}`),
    '',
    `Imports against the plan of the rooms: ${back.length}`,
    ...back.map(({ file, line, from, to }) => `  ${file}:${line}: ${from} → ${to}`),
    '',
    `Functions: ${count}, half of them of at most ${medianLines} lines; the longest`,
    ...longest.map(({ name, file, line, lines }) => `  ${cell(lines)}  ${name} ${file}:${line}`),
    '',
  ].join('\n')
}

function cell(value: number): string {
  return String(value).padStart(6)
}
