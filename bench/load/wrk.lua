-- Sends the requests of a file in turn: method, path, token and body, separated by tabs. `{n}` in a body becomes something
-- new each time. With a rate, requests are due at random moments (a Poisson process) of which none is passed over.
-- Arguments: the file, the run's name, requests a second or 0.
local ffi = require("ffi")
ffi.cdef([[
  struct chapter_time { long seconds; long nanoseconds; };
  int clock_gettime(int clock, struct chapter_time *time);
]])

local requests, at, count, run = {}, 0, 0, ""

local time = ffi.new("struct chapter_time")
local function milliseconds()
  ffi.C.clock_gettime(1, time)
  return tonumber(time.seconds) * 1000 + tonumber(time.nanoseconds) / 1e6
end

local function prepare(method, path, token, body)
  local headers = {}
  if token ~= "" then headers["Authorization"] = "Bearer " .. token end
  if body == "" then return wrk.format(method, path, headers) end
  headers["Content-Type"] = "application/json"
  if not body:find("{n}", 1, true) then return wrk.format(method, path, headers, body) end
  return function()
    count = count + 1
    return wrk.format(method, path, headers, (body:gsub("{n}", run .. count)))
  end
end

function init(args)
  run = args[2]
  for line in io.lines(args[1]) do
    requests[#requests + 1] = prepare(line:match("^([^\t]*)\t([^\t]*)\t([^\t]*)\t(.*)$"))
  end
  local rate = tonumber(args[3])
  if rate == 0 then return end
  local due
  function delay()
    local now = milliseconds()
    due = (due or now) - math.log(1 - math.random()) * 1000 / rate
    return math.max(0, math.floor(due - now + math.random()))
  end
end

function request()
  at = at % #requests + 1
  local request = requests[at]
  return type(request) == "function" and request() or request
end

function done(summary, latency)
  local errors = summary.errors
  local latencies = {}
  for at = 1, #latency do
    local microseconds, times = latency(at)
    latencies[at] = string.format("[%.3f,%d]", microseconds / 1e3, times)
  end
  io.write(string.format(
    '\nRESULT {"requests":%d,"seconds":%.6f,"p50":%.4f,"p99":%.4f,"errors":%d,"latencies":[%s]}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    table.concat(latencies, ",")))
end
