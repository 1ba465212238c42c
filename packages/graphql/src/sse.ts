export { createStreamHandler, type StreamHandler, type StreamHandlerOptions } from './create-stream-handler.ts'
