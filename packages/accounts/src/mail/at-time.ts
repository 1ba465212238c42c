/** Returns the time that a mail names, by which two of one kind can be distinguished. */
export function atTime(at: number): string {
  return `at ${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
