/** Returns a code in the digits of another script, whose zero is given. */
export function inDigitsFrom(zero: number, code: string): string {
  return code.replace(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)))
}
