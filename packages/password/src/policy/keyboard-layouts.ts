/** The distance between the positions of two keys of which one lies below the other. Rows are shorter than this. */
export const rowStep = 32

/**
 * The characters of the keys of a row from left to right: alone, and with shift. Passwords are compared in lower case.
 */
type Row = readonly [alone: string, shifted: string]

const qwerty: readonly Row[] = [
  ['`1234567890-=', '~!@#$%^&*()_+'],
  [' qwertyuiop[]\\', '           {}|'],
  [" asdfghjkl;'", '          :"'],
  [' zxcvbnm,./', '        <>?'],
]
const qwertz: readonly Row[] = [
  ['^1234567890ß', '°!"§$%&/()=?'],
  [' qwertzuiopü+', '            *'],
  [' asdfghjklöä#', "            '"],
  [' yxcvbnm,.-', '        ;:_'],
]
const azerty: readonly Row[] = [
  ['²&é"\'(-è_çà)=', ' 1234567890°+'],
  [' azertyuiop^$', ''],
  [' qsdfghjklmù*', '           %µ'],
  [' wxcvbn,;:!', '       ?./§'],
]
const cyrillic: readonly Row[] = [
  [' йцукенгшщзхъ', ''],
  [' фывапролджэ', ''],
  [' ячсмитьбю', ''],
]
const keypad: readonly Row[] = [
  ['789', ''],
  ['456', ''],
  ['123', ''],
  ['0', ''],
]

/** For each layout, the position of the key of a character: 1 between neighbours in a row, `rowStep` between rows. */
function placeLayouts(): readonly ReadonlyMap<string, number>[] {
  return [qwerty, qwertz, azerty, cyrillic, keypad].map(
    (rows) => new Map(rows.flatMap((row, index) => row.flatMap((keys) => placeKeys(keys, index * rowStep)))),
  )
}

/** Made for the first text. */
let layouts: ReturnType<typeof placeLayouts> | undefined

function placeKeys(keys: string, first: number): (readonly [string, number])[] {
  return [...keys].map((key, index) => [key, first + index] as const).filter(([key]) => key !== ' ')
}

/** Returns, for each layout, the position of the key of each character; `NaN` if the layout has no such key. */
export function keyPositions(text: string): readonly (readonly number[])[] {
  layouts ??= placeLayouts()
  return layouts.map((keys) => text.split('').map((character) => keys.get(character) ?? Number.NaN))
}
