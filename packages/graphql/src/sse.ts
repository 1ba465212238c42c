export { createStreamHandler, type StreamHandler } from './subscriptions/sse/create-stream-handler.ts'
