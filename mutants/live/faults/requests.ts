import type { LiveFault } from '../fault.ts'

/** What a path answers that is not there, on the direct way of inference. */
const GONE =
  "response.writeHead(404, { ...headers, 'Content-Type': 'application/json' }).end(JSON.stringify({ error: { message: 'gone', type: 'invalid_request_error', code: 'not_found' } }))"

/** Bodies of requests, as they are read and as they are passed on. */
export const requests: readonly LiveFault[] = [
  {
    id: 'many-choices',
    file: 'server/admission/request.ts',
    find: '!traits.validate(fields)',
    replace: '!traits.validate({ ...fields, n: 1 })',
    violates: ['REQ-08', 'LIM-13'],
    expectKilledBy: ['requests/more-than-one-choice'],
  },
  {
    id: 'stream-whenever-named',
    file: 'server/admission/request.ts',
    find: 'fields.stream === true',
    replace: 'fields.stream !== undefined',
    violates: ['REQ-04'],
    expectKilledBy: ['requests/stream-switch'],
  },
  {
    id: 'usage-always-wanted',
    file: 'server/admission/request.ts',
    find: 'streamOptions?.include_usage === true',
    replace: 'fields.stream === true',
    violates: ['STRM-09'],
    expectKilledBy: ['streams/usage-shapes'],
  },
  {
    id: 'usage-never-wanted',
    file: 'server/admission/request.ts',
    find: 'streamOptions?.include_usage === true',
    replace: 'false',
    violates: ['REQ-05', 'STRM-03', 'EVT-02'],
    expectKilledBy: ['streams/usage-chunk'],
  },
  {
    id: 'capability-not-asked',
    file: 'server/admission/request.ts',
    find: '!model.capabilities.includes(operation)',
    replace: 'false',
    violates: ['EP-12'],
    expectKilledBy: ['embeddings/capability'],
  },
  {
    id: 'first-model-for-unknown',
    file: 'server/catalogue.ts',
    find: 'byId.get(id)',
    replace: 'byId.get(id) ?? models[0]',
    violates: ['REQ-02', 'EP-08'],
    expectKilledBy: ['models/unknown', 'requests/unknown-model'],
  },
  {
    id: 'temperature-left-out',
    file: 'server/relay/request.ts',
    find: 'splice(bytes, span, changes)',
    replace:
      "splice(bytes, { ...span, members: span.members }, { ...changes, ...(findMember(span, 'temperature') && { temperature: 'null' }) })",
    violates: ['REQ-07'],
    expectKilledBy: ['requests/sampling'],
  },
  {
    id: 'seed-left-out',
    file: 'server/relay/request.ts',
    find: 'splice(bytes, span, changes)',
    replace:
      "splice(bytes, { ...span, members: span.members }, { ...changes, ...(findMember(span, 'seed') && { seed: 'null' }) })",
    violates: ['REQ-07'],
    expectKilledBy: ['requests/sampling'],
  },
  {
    id: 'tools-left-out',
    file: 'server/relay/request.ts',
    find: 'splice(bytes, span, changes)',
    replace:
      "splice(bytes, { ...span, members: span.members }, { ...changes, ...(findMember(span, 'tools') && { tools: 'null' }) })",
    violates: ['REQ-09'],
    expectKilledBy: ['requests/tools'],
  },
  {
    id: 'user-left-out',
    file: 'server/relay/request.ts',
    find: 'splice(bytes, span, changes)',
    replace:
      "splice(bytes, { ...span, members: span.members }, { ...changes, ...(findMember(span, 'user') && { user: 'null' }) })",
    violates: ['REQ-10'],
    expectKilledBy: ['requests/user'],
  },
  {
    id: 'max-tokens-left-out',
    file: 'server/relay/request.ts',
    find: 'splice(bytes, span, changes)',
    replace:
      "splice(bytes, { ...span, members: span.members }, { ...changes, ...(findMember(span, 'max_tokens') && { max_tokens: 'null' }) })",
    violates: ['REQ-06'],
    expectKilledBy: ['requests/max-tokens'],
  },
  {
    id: 'max-completion-tokens-left-out',
    file: 'server/relay/request.ts',
    find: 'splice(bytes, span, changes)',
    replace:
      "splice(bytes, { ...span, members: span.members }, { ...changes, ...(findMember(span, 'max_completion_tokens') && { max_completion_tokens: 'null' }) })",
    violates: ['REQ-06'],
    expectKilledBy: ['requests/max-completion-tokens'],
  },
  {
    id: 'unknown-fields-reparsed',
    file: 'server/relay/request.ts',
    find: 'splice(bytes, span, changes)',
    replace:
      'Buffer.from(JSON.stringify(JSON.parse(splice(bytes, span, changes).toString(), (key, value: unknown) => (/^(min_p|guided_json)$/.test(key) ? null : value))))',
    violates: ['REQ-11'],
    expectKilledBy: ['requests/unknown-fields'],
  },
  {
    id: 'usage-not-asked',
    file: 'server/relay/request.ts',
    find: "changes.stream_options = withUsageAsked(bytes, options, usage === 'continuous')",
    replace: 'void options',
    as: 'statement',
    violates: ['MET-05'],
    alsoBreaks: [
      { rules: ['RLAY-01'], because: 'the usage of streams is asked for in the request that is sent on' },
    ],
    expectKilledBy: ['metering/usage-asked'],
  },
  {
    id: 'no-chat',
    file: 'server/routes/direct.ts',
    find: 'await handler(request)',
    replace: `trace.route === '/v1/chat/completions' ? ${GONE} : await handler(request)`,
    violates: ['EP-02'],
    expectKilledBy: ['endpoints/chat'],
  },
  {
    id: 'no-models',
    file: 'server/app.ts',
    within: `preflightHeaders)
    return next()`,
    find: 'next()',
    replace: "c.req.path === '/v1/models' ? refuse(c, new ApiError('not_found', 'gone')) : next()",
    violates: ['EP-04'],
    expectKilledBy: ['endpoints/models'],
  },
  {
    id: 'no-model',
    file: 'server/app.ts',
    within: `preflightHeaders)
    return next()`,
    find: 'next()',
    replace: "c.req.path.startsWith('/v1/models/') ? refuse(c, new ApiError('not_found', 'gone')) : next()",
    violates: ['EP-07'],
    expectKilledBy: ['endpoints/model'],
  },
  {
    id: 'no-completions',
    file: 'server/routes/direct.ts',
    find: 'await handler(request)',
    replace: `trace.route === '/v1/completions' ? ${GONE} : await handler(request)`,
    violates: ['EP-09'],
    expectKilledBy: ['completions/key'],
  },
  {
    id: 'no-embeddings',
    file: 'server/routes/direct.ts',
    find: 'await handler(request)',
    replace: `trace.route === '/v1/embeddings' ? ${GONE} : await handler(request)`,
    violates: ['EP-11'],
    expectKilledBy: ['embeddings/vectors'],
  },
  {
    id: 'no-invitations',
    file: 'server/app.ts',
    within: `preflightHeaders)
    return next()`,
    find: 'next()',
    replace: "c.req.path.startsWith('/v1/invites/') ? refuse(c, new ApiError('not_found', 'gone')) : next()",
    violates: ['INV-02', 'EP-19'],
    alsoBreaks: [{ rules: ['AUTH-04'], because: 'one of the few that are asked for without a key' }],
    expectKilledBy: ['invitations/look-up'],
  },
  {
    id: 'no-evidence',
    file: 'server/app.ts',
    within: `preflightHeaders)
    return next()`,
    find: 'next()',
    replace: "c.req.path === '/v1/evidence' ? refuse(c, new ApiError('not_found', 'gone')) : next()",
    violates: ['EP-16', 'EVID-01'],
    alsoBreaks: [{ rules: ['EVID-17'], because: 'the 404 of a path that is not there has another form' }],
    expectKilledBy: ['evidence/public'],
  },
  {
    id: 'no-endpoint-evidence',
    file: 'server/app.ts',
    within: `preflightHeaders)
    return next()`,
    find: 'next()',
    replace: "c.req.path.startsWith('/v1/evidence/') ? refuse(c, new ApiError('not_found', 'gone')) : next()",
    violates: ['EP-18'],
    alsoBreaks: [
      {
        rules: ['EVID-09', 'EVID-17'],
        because: "an endpoint's bundle is not found, and the 404 has another form",
      },
    ],
    expectKilledBy: ['evidence/named-endpoint'],
  },
  {
    id: 'router-serves-platform-path',
    file: 'server/app.ts',
    within: `preflightHeaders)
    return next()`,
    find: 'next()',
    replace:
      "c.req.path === '/.well-known/platform-evidence' ? c.json({ kind: 'DeploymentEvidence' }) : next()",
    violates: ['EP-21'],
    expectKilledBy: ['platform/path'],
  },
  {
    id: 'streams-not-offered',
    file: 'server/admission/request.ts',
    find: 'fields.stream === true',
    replace: 'false',
    violates: ['SRV-08', 'REQ-04'],
    expectKilledBy: ['requests/stream-switch'],
  },
  {
    id: 'response-format-refused',
    file: 'server/relay/request.ts',
    find: 'splice(bytes, span, changes)',
    replace: "Buffer.from('{}')",
    violates: ['REQ-12'],
    alsoBreaks: [{ rules: ['REQ-11'], because: 'what is refused is not sent on' }],
    expectKilledBy: ['completions/sent'],
  },
  {
    id: 'response-format-refused-here',
    file: 'server/admission/request.ts',
    find: '!traits.validate(fields)',
    replace: "findMember(body.span, 'response_format') !== undefined || !traits.validate(fields)",
    violates: ['REQ-01', 'REQ-13'],
    expectKilledBy: ['requests/openai-request'],
  },
  {
    id: 'user-refused',
    file: 'server/admission/request.ts',
    find: '!traits.validate(fields)',
    replace: "findMember(body.span, 'user') !== undefined || !traits.validate(fields)",
    violates: ['REQ-10', 'REQ-13'],
    alsoBreaks: [{ rules: ['REQ-01'], because: "it is a field of OpenAI's requests" }],
    expectKilledBy: ['requests/openai-request', 'requests/user'],
  },
  {
    id: 'no-chat-for-keys',
    file: 'server/routes/direct.ts',
    find: 'await handler(request)',
    replace: `trace.route === '/v1/chat/completions' && request.incoming.headers.authorization !== undefined ? ${GONE} : await handler(request)`,
    violates: ['EP-03'],
    expectKilledBy: ['chat/shape'],
  },
  {
    id: 'no-completions-for-keys',
    file: 'server/routes/direct.ts',
    find: 'await handler(request)',
    replace: `trace.route === '/v1/completions' && request.incoming.headers.authorization !== undefined ? ${GONE} : await handler(request)`,
    violates: ['EP-09', 'SRV-06'],
    expectKilledBy: ['completions/text'],
  },
  {
    id: 'no-embeddings-for-keys',
    file: 'server/routes/direct.ts',
    find: 'await handler(request)',
    replace: `trace.route === '/v1/embeddings' && request.incoming.headers.authorization !== undefined ? ${GONE} : await handler(request)`,
    violates: ['EP-11', 'SRV-07'],
    alsoBreaks: [{ rules: ['REQ-12'], because: 'inputs of every kind are refused with the path' }],
    expectKilledBy: ['embeddings/vectors'],
  },
  {
    id: 'no-models-for-keys',
    file: 'server/app.ts',
    within: `preflightHeaders)
    return next()`,
    find: 'next()',
    replace:
      "c.req.path === '/v1/models' && c.req.header('authorization') !== undefined ? refuse(c, new ApiError('not_found', 'gone')) : next()",
    violates: ['EP-04', 'SRV-02', 'EP-01', 'SRV-06'],
    expectKilledBy: ['completions/text', 'endpoints/base-address', 'endpoints/models'],
  },
  {
    id: 'records-of-own-key-alone',
    file: 'server/routes/generation.ts',
    within: 'if (!record) throw',
    find: '!record',
    replace: '!record || record.keyId !== key.rates.keyId',
    violates: ['WSP-03', 'GEN-07'],
    expectKilledBy: ['generations/of-workspace', 'generations/other-workspace'],
  },
]
