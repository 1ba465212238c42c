import { isUtf8, type MediaType, parseMediaTypes } from './media-type.ts'

/** The two media types of GraphQL over HTTP. The body is the same in both; statuses differ for some errors. */
export type ResponseMediaType = 'application/graphql-response+json' | 'application/json'

const graphqlResponse: ResponseMediaType = 'application/graphql-response+json'
const json: ResponseMediaType = 'application/json'

/**
 * Returns the media type of the answer, or `null` if `Accept` allows neither (RFC 9110 §12.5.1: weights, `q=0` refuses,
 * the most specific range decides). Clients that do not name the newer type, with a wildcard or no header, get
 * `application/json`.
 */
export function negotiateMediaType(accept: string | null): ResponseMediaType | null {
  if (accept === json || accept === graphqlResponse) return accept
  if (accept === null || accept.trim() === '') return json
  const ranges = parseMediaTypes(accept).filter(isUtf8)
  const jsonWeight = weightOf(json, ranges)
  const graphqlWeight = weightOf(graphqlResponse, ranges)
  const isNamed = ranges.some(({ type }) => type === graphqlResponse)
  if (graphqlWeight > 0 && (isNamed ? graphqlWeight >= jsonWeight : jsonWeight === 0)) return graphqlResponse
  return jsonWeight > 0 ? json : null
}

/** Whether `Accept` allows `application/json`, preferred or not. */
export function acceptsJson(accept: string | null): boolean {
  if (accept === null || accept.trim() === '') return true
  return weightOf(json, parseMediaTypes(accept).filter(isUtf8)) > 0
}

/** Whether `Accept` allows server-sent events. Without the header everything is allowed. */
export function acceptsEvents(accept: string | null): boolean {
  if (accept === null || accept.trim() === '') return true
  return weightOf('text/event-stream', parseMediaTypes(accept).filter(isUtf8)) > 0
}

function weightOf(type: ResponseMediaType | 'text/event-stream', ranges: readonly MediaType[]): number {
  for (const range of [type, type.replace(/\/.*/, '/*'), '*/*']) {
    const found = ranges.filter((candidate) => candidate.type === range)
    if (found.length > 0) return Math.max(...found.map(readWeight))
  }
  return 0
}

/** A malformed weight allows no media type (RFC 9110 §12.4.2 has at most three decimals). */
function readWeight({ parameters }: MediaType): number {
  const [, weight = '1'] = parameters.find(([name]) => name === 'q') ?? []
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0
}
