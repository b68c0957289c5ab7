#!/usr/bin/env node
console.error('There are no commands yet.');
process.exitCode = 2;
