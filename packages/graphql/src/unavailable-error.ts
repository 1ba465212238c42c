/** Something that an answer needs cannot be had: 503, with the reason in the log only. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError'
}
