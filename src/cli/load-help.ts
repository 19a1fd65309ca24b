// The page behind `rubato load --help`: what the figures mean, and how to ask for the usual things.

export const LOAD_HELP = `
Sends streaming requests at moments drawn beforehand (open loop), whether or not earlier ones have ended, as people
do. A request that cannot be sent in time counts from when it was due: the page shows both clocks, from due and from
sent, and warns when this machine itself was late. --concurrency without --rate is a closed loop instead: so many at
a time, each begun as another ends, which hides how long a queue would grow.
TTFT counts to the first generated text, not to the head or a role mark; a gap lies between two reads with generated
text. Failures count as never in lines that say so. One request first checks the endpoint and is not counted.
Lengths of prompts are kept by four characters a token; what the engine counts is in the files.
With --config the objectives of that file's classes are judged, with --slo those of the command line:
[CLASS:]FIGURE[=LIMIT][@SHARE]. Failures keep nothing.

Examples:
  rubato load http://127.0.0.1:8000                                two requests a second for 30 s
  rubato load http://127.0.0.1:8000 --rate 8 --duration 120 --warmup 10
  rubato load http://127.0.0.1:8000 --rate 8 --arrivals gamma --shape 0.3     the same in bursts
  rubato load http://127.0.0.1:8000 --concurrency 16 --count 500
  rubato load http://127.0.0.1:8000 --sweep                        1, 2, 4 … 64 at a time, 10 s each
  rubato load http://127.0.0.1:8000 --rate 6 --class interactive=0.8/64-512/lognormal:120,0.6 \\
      --class batch=0.2/lognormal:3000,0.4/400
  rubato load http://127.0.0.1:8000 --rate 6 --slo ttft=800ms,gap_p99=100ms@0.99,served@0.999
  rubato load http://127.0.0.1:8000 --trace records.jsonl --trace-speed 2      as it was, twice as fast
  rubato load https://gateway.example.com --key-env API_KEY --peer http://engine-host:9464
  rubato load http://127.0.0.1:8000 --rate 4 --json run.json --csv run.csv
  rubato load http://127.0.0.1:8000 --sweep --csv sweep.csv --export guidellm=benchmarks.json

In a sweep --csv has a line a step and class, --export aiperf=run.jsonl a file a step (run-concurrency-4.jsonl …) and
guidellm=FILE.json one report with a benchmark a step. That report keeps to GuideLLM's definitions, except that what
nobody knows is left out, where GuideLLM counts 0. It holds 65,536 requests with 2,097,152 events of text; when more
came, that is told.

With --sweep-setting your --restart-command is run by your shell once for each value, with your rights, {value}
replaced. It may stay (an engine in the foreground: it and all it started are ended before the next value) or end with
0 (a service that was restarted). The load begins when --ready-url answers; then p99 gaps are plotted against TTFT:
  rubato load http://127.0.0.1:8000 --rate 6 --sweep-setting max-num-batched-tokens=512,2048,8192 \\
      --restart-command 'vllm serve some-model --max-num-batched-tokens {value}' --svg sweep.svg

A trace is a record file of rubato (\`serve --record\`), JSON lines such as
{"at_ms":120,"prompt_tokens":300,"output_tokens":80,"class":"batch"}, or CSV with those columns; the names of the
Mooncake and Azure traces (timestamp, input_length, ContextTokens …) are known.

Memory is bounded: of a figure 65,536 values of a class are kept (1,048,576 gaps), and beyond that percentiles are
within 0.2 %, marked with ~. Not more than 1,024 requests are under way at once unless --concurrency says so.

Exit code: 0 when every objective was met or none was given, 1 when one was missed, 3 when one cannot be judged
(too few requests), 69 when no text came. In a sweep 0 when one step met them all.`;
